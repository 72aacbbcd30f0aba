"""Caribbean Stud Poker by its sections, one rule at a time."""

from __future__ import annotations

import pytest

from controller.dealing.procedure import build_procedure
from controller.dealing.settings import Plain, SettingError
from controller.games import GAMES
from controller.games.caribbean_stud_poker import qualifies
from controller.hands.poker import evaluate
from firmware_bridge.cards import parse_card
from tests.controller.games.rounds import bets, collect, decide, did, open_table, pay, places, refusal
from tests.controller.games.stacked import dealt, settled

GAME = "caribbean-stud-poker"
ANTE = {"ante": 10}
BOTH = {"ante": 10, "progressive": 1}
WEAK = "As Qd Jc 9d 7s"
ACE_KING = "As Kd 7c 4d 5h"
SUMS: dict[str, Plain] = {"royal-flush": "100%", "full-house": 100, "flush": 50}


def played(
    player: str, dealer: str, choice: str = "bet", wagers: dict[str, object] | None = None, **house: Plain
) -> dict[str, float | str]:
    """Net units of seat 1's wagers, `?` where they are not known."""
    bench = dealt(GAME, {1: wagers or ANTE}, f"{player} | {dealer}", **house)
    did(bench, "expose", {"seat": "dealer"})
    decide(bench, 1, choice)
    settled(bench)
    assert bench.state.round is not None
    return {name: "?" if net is None else net / 100 for name, net in bench.state.round.pays["1"].items()}


@pytest.mark.rule("13:69F-23.8(c)", "13:69F-16")
@pytest.mark.parametrize("method", ["manual-shoe", "hand"])
def test_five_passes_with_the_dealers_fifth_card_up(method: str) -> None:
    bench = open_table(GAME, method)
    bets(bench, 4, 2)
    assert places(bench) == ["seat 2", "seat 4", "dealer"] * 5
    assert [held.shown for held in bench.state.round.hands["dealer"]] == [False] * 4 + [True]  # type: ignore[union-attr]
    assert bench.view().state == "deciding"


@pytest.mark.rule("13:69F-35.9(c)", "13:69F-16")
def test_stacks_of_five_and_then_the_bottom_card_of_the_dealers_is_turned() -> None:
    bench = dealt(GAME, {1: ANTE}, f"Qs Qd 9c 4h 2s | {ACE_KING}")
    assert refusal(bench, "decide", {"seat": 1, "choose": "bet"}) == "not-expected-now"
    outcome = did(bench, "expose", {"seat": "dealer"})
    assert outcome.cards == ("5h",)
    assert refusal(bench, "expose", {"seat": "dealer"}) == "not-your-turn", "the others stay down until all have decided"
    assert outcome.stub_expected == 42


@pytest.mark.rule("13:69E-1.13G(a)")
@pytest.mark.parametrize("seats", [5, 8])
def test_six_or_seven_positions(seats: int) -> None:
    with pytest.raises(SettingError, match="6 to 7"):
        build_procedure(GAMES[GAME], "hand", {"seats": seats})


@pytest.mark.rule("13:69F-16")
def test_the_progressive_wager_is_one_unit_and_needs_an_ante() -> None:
    bench = open_table(GAME)
    assert refusal(bench, "wager", {"seat": 1, "progressive": 1}) == "not-wagered"
    assert refusal(bench, "wager", {"seat": 1, "ante": 10, "progressive": 2}) == "bad-amount"
    did(bench, "wager", {"seat": 1, "ante": 10, "progressive": 1})


@pytest.mark.rule("13:69F-16")
@pytest.mark.parametrize("amount", [10, 19, 30])
def test_the_bet_is_exactly_twice_the_ante(amount: int) -> None:
    bench = open_table(GAME)
    bets(bench, 1)
    places(bench)
    assert refusal(bench, "decide", {"seat": 1, "choose": "bet", "amount": amount}) == "bad-amount"
    decide(bench, 1, "bet", amount=20)


@pytest.mark.rule("13:69F-16")
@pytest.mark.parametrize(
    ("hand", "plays"),
    [
        ("As Kd 4c 3d 2h", True),
        ("As Qd Jc Td 9h", False),
        ("Ks Qd Jc Td 8h", False),
        ("2s 2d 3c 4d 5h", True),
        ("As Kd Qc Jd 9h", True),
        ("5s 4d 3c 2d Ah", True),
    ],
)
def test_the_dealer_qualifies_with_ace_king_or_better(hand: str, plays: bool) -> None:
    assert qualifies(evaluate([parse_card(name) for name in hand.split()])) is plays


@pytest.mark.rule("13:69F-16")
@pytest.mark.parametrize(
    ("player", "dealer", "ante", "bet"),
    [
        ("2h 5h 8h Jh Kh", WEAK, 10, 0),
        ("2c 3c 4h 5h 7h", WEAK, 10, 0),
        ("Qs Qd 9c 4h 2s", ACE_KING, 10, 20),
        ("Ah Kh 9d 5c 2s", "Ac Kd 4c 3d 2h", 10, 20),
        ("Ah Kh 7d 4c 5s", ACE_KING, 0, 0),
        ("Ah Qh 9d 5c 2s", ACE_KING, -10, -20),
        ("Qs Qd 9c 9h 2s", ACE_KING, 10, 40),
        ("Qs Qd Qc 9h 2s", ACE_KING, 10, 60),
        ("6s 7d 8c 9d Ts", ACE_KING, 10, 80),
        ("2h 5c 8c Jc Kc", ACE_KING, -10, -20),
        ("2c 5c 8c Jc Kc", ACE_KING, 10, 100),
        ("Qs Qd Qc 9h 9s", ACE_KING, 10, 140),
        ("Qs Qd Qc Qh 9s", ACE_KING, 10, 400),
        ("6s 7s 8s 9s Ts", ACE_KING, 10, 1000),
        ("Ah Kh Qh Jh Th", ACE_KING, 10, 2000),
    ],
)
def test_the_settlement_table(player: str, dealer: str, ante: int, bet: int) -> None:
    assert played(player, dealer) == {"ante": ante, "bet": bet}


@pytest.mark.rule("13:69E-1.13G(c)")
def test_the_bet_of_one_hand_wins_five_thousand_at_most() -> None:
    won = played("Ah Kh Qh Jh Th", ACE_KING, wagers={"ante": 50})
    assert won == {"ante": 50, "bet": 5000}
    assert played("Ah Kh Qh Jh Th", ACE_KING, wagers={"ante": 50}, payout_limit=20_000)["bet"] == 10_000


@pytest.mark.rule("house:progressive_table")
@pytest.mark.parametrize(("hand", "won"), [("2c 5c 8c Jc Kc", 49), ("Qs Qd Qc 9h 9s", 99), ("Ah Kh Qh Jh Th", "?"), ("Qs Qd 9c 4h 2s", -1)])
def test_the_meter_pays_sums_and_shares_whatever_the_dealer_holds(hand: str, won: float | str) -> None:
    for dealer in ("As Qc Jd 9d 7h", "Ac Kd 7c 4d 5h"):
        if not set(hand.split()) & set(dealer.split()):
            assert played(hand, dealer, wagers=BOTH, progressive_table=SUMS)["progressive"] == won


def test_without_sums_the_meter_is_settled_outside_of_the_record() -> None:
    assert played("2c 5c 8c Jc Kc", ACE_KING, wagers=BOTH)["progressive"] == "?"


@pytest.mark.rule("13:69F-21.8(f)", "13:69F-16")
def test_a_fold_racks_the_cards_and_loses_the_progressive_wager() -> None:
    bench = dealt(GAME, {1: BOTH, 2: ANTE}, f"2c 5c 8c Jc Kc | Qs Qd 9c 4h 2s | {ACE_KING}")
    did(bench, "expose", {"seat": "dealer"})
    assert decide(bench, 1, "fold").rack == 37 + 5
    decide(bench, 2, "fold")
    assert bench.view().state == "collecting", "the dealer's cards stay down"
    assert pay(collect(bench), "1") == -1100


@pytest.mark.rule("13:69F-28.12(a)")
def test_a_down_card_seen_early_voids_the_hands_and_the_meter_pays() -> None:
    bench = dealt(GAME, {1: BOTH, 2: BOTH}, f"2c 5c 8c Jc Kc | Qs Qd 9c 4h 2s | {ACE_KING}", progressive_table=SUMS)
    did(bench, "expose", {"seat": "dealer"})
    decide(bench, 1, "bet")
    assert did(bench, "report", {"what": "dealer-card-exposed"}).state == "void"
    outcome = collect(bench)
    assert outcome.results["1"] == {"ante": "void", "bet": "void", "progressive": "win"}
    assert (pay(outcome, "1"), pay(outcome, "2")) == (4900, -100)


@pytest.mark.parametrize("table", [{"flash": 5}, {"flush": -5}, {"flush": "10"}, {"flush": "101%"}, {"flush": True}, ["flush"]])
def test_progressive_tables_that_cannot_be_are_refused(table: object) -> None:
    with pytest.raises(SettingError, match="progressive_table"):
        build_procedure(GAMES[GAME], "hand", {"progressive_table": table})  # type: ignore[dict-item]
