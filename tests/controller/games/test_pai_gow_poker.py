"""Pai Gow Poker by its sections, one rule at a time."""

from __future__ import annotations

import pytest

from controller.dealing.settings import Plain
from controller.games.pai_gow import vigorish_of
from controller.table.outcome import Outcome
from tests.controller.games.rounds import bets, collect, decide, did, do, open_table, pay, places, refusal
from tests.controller.table.bench import Bench

GAME = "pai-gow-poker"
MAIN = "pai_gow_poker"
WEAK = "Kd Jh 9c 8s 6d Qs 3d"
"""A dealer's hand of high cards: K 9 8 6 3, and Q J low by the house way."""


def table(cards: str = "", method: str = "automated-shoe", **house: Plain) -> Bench:
    return open_table(GAME, method, house, cards)


def one_seat(player: str, dealer: str, *, amount: object = 20, dealer_set: dict[str, object] | None = None, **house: Plain) -> Bench:
    """Seat 1 with seven cards, high hand first, against the dealer's seven; both are set, the dealer's by the house way."""
    bench = table(f"{player} {dealer}", seats=1, **house)
    did(bench, "wager", {"seat": 1, MAIN: amount})
    did(bench, "close_bets")
    did(bench, "start", {"seat": 1})
    assert places(bench) == ["seat 1", "dealer"]
    did(bench, "stub_count", 39)
    did(bench, "set", {"seat": 1}, "player:1")
    did(bench, "set", {"seat": "dealer", **(dealer_set or {})})
    return bench


def result(bench: Bench, player: str) -> Outcome:
    """Expose seat 1 with its high hand first, and collect."""
    named = player.split()
    did(bench, "expose", {"seat": 1, "high": named[:5], "low": named[5:]})
    return collect(bench)


@pytest.mark.rule("13:69F-31.11(b)")
@pytest.mark.parametrize("method", ["hand", "manual-shoe", "automated-shoe"])
@pytest.mark.parametrize(
    ("value", "to"),
    [({"number": 1}, "dealer"), ({"number": 7}, "seat 1"), ({"dice": 8}, "dealer"), ({"dice": 12}, "seat 3"), ({"dice": 14}, "seat 1")],
)
def test_the_start_is_counted_counterclockwise_and_all_positions_are_dealt_clockwise(
    value: dict[str, object], to: str, method: str
) -> None:
    bench = table(method=method)
    did(bench, "wager", {"seat": 2})
    did(bench, "close_bets")
    assert did(bench, "start", value).to == to
    around = [*(f"seat {n}" for n in range(1, 7)), "dealer"]
    begin = around.index(to)
    one_pass = around[begin:] + around[:begin]
    assert places(bench) == one_pass * (1 if method == "automated-shoe" else 7)


@pytest.mark.rule("13:69F-31.8(d)")
@pytest.mark.parametrize("wagers", range(1, 7))
def test_four_cards_are_left_whatever_is_wagered_and_the_count_is_due_every_round(wagers: int) -> None:
    bench = table()
    for seat in range(1, wagers + 1):
        did(bench, "wager", {"seat": seat})
    did(bench, "close_bets")
    did(bench, "start", {"seat": 4})
    places(bench)
    outcome = bench.view()
    assert (outcome.stub_expected, outcome.alarms) == (4, ("stub-count-due",))
    assert did(bench, "stub_count", 4).alarms == ()
    assert outcome.rack == 4 + 7 * (6 - wagers)


SETTLEMENT = [
    ("As Ad 7c 5d 2h Kc Qh", WEAK, "win"),
    ("As 7d 5c 4d 2h Jc Tc", WEAK, "push"),
    ("Qd 7d 5c 4d 2h Jc 9s", WEAK, "lose"),
    ("Ks 9d 8c 6c 3c Qh Jc", WEAK, "lose"),
    ("As 9d 8c 6c 3c Qh Jc", WEAK, "push"),
    ("Ks 9d 8c 6c 4c Qh Jc", WEAK, "push"),
    ("Jk 7d 5c 4d 2h Kc Qh", WEAK, "win"),
    ("3s 4d 5c 6h Jk As Kc", "Ah Kh Jh 9d 6s 3d 2c", "win"),
    ("As 2s 3s 4s Jk 9d 9h", "9c Tc Jc Qc Kc 8d 8h", "win"),
    ("As Ad Ah Ac Jk Ks Kc", "Ts Js Qs Kd 9c 4d 4h", "win"),
]  # fmt: skip
"""(the seat's cards, high hand first; the dealer's; the result). Row 4 and 6: copies."""


@pytest.mark.rule("13:69F-34.12(g)", "house:house_way")
@pytest.mark.parametrize(("player", "dealer", "expected"), SETTLEMENT)
def test_both_hands_higher_win_one_pushes_and_copies_are_the_dealers(player: str, dealer: str, expected: str) -> None:
    outcome = result(one_seat(player, dealer), player)
    assert outcome.results == {"1": expected}
    assert pay(outcome, "1") == {"win": 1900, "push": 0, "lose": -2000}[expected]


@pytest.mark.rule("13:69F-34.12(i)")
@pytest.mark.parametrize(
    ("rounding", "amount", "kept"),
    [
        ("up-quarter", 22, 125), ("up-quarter", 20, 100), ("up-quarter", "0.20", 20), ("quarter", 22, 100), ("quarter", "22.50", 125),
        ("cent", "22.10", 111), ("cent", "22.09", 110),
    ],
)  # fmt: skip
def test_winners_pay_five_percent_rounded_as_the_house_says(rounding: str, amount: object, kept: int) -> None:
    player = "As Ad 7c 5d 2h Kc Qh"
    bench = one_seat(player, WEAK, amount=amount, vigorish_rounding=rounding)
    won = round(float(str(amount)) * 100)
    assert vigorish_of(bench.procedure.settings, won) == kept
    assert pay(result(bench, player), "1") == won - kept


@pytest.mark.rule("13:69F-34.12(g)")
@pytest.mark.parametrize(
    ("player", "ruling", "state"),
    [
        ("Kc Qh 9s 7d 4c As Ad", "stands", "collecting"), ("Ks Kd 9s 7d 4c Kc Kh", "stands", "collecting"),
        ("Ks Kd 9s 7d 4c Kc Kh", "loses", "collecting"), ("Ks Kd 9s 7d 4c Kc Kh", "supervisor", "suspended"),
    ],
)  # fmt: skip
def test_a_low_hand_above_the_high_hand_loses_and_an_equal_one_is_as_the_house_says(player: str, ruling: str, state: str) -> None:
    bench = one_seat(player, "Jh Qd 9c 8s 6d 5s 2h", equal_high_and_low=ruling)
    named = player.split()
    outcome = did(bench, "expose", {"seat": 1, "high": named[:5], "low": named[5:]})
    assert outcome.state == state
    if state == "collecting":
        stands = ruling == "stands" and named[0][0] == named[1][0]
        assert collect(bench).results == {"1": "win" if stands else "lose"}
    else:
        assert outcome.irregularity == "wrong-set"
        assert outcome.rule == "13:69F-34.12(g)2"


@pytest.mark.rule("13:69F-34.12(g)")
def test_a_hand_set_as_four_and_three_loses_whatever_it_is() -> None:
    bench = one_seat("As Ad Kc Kh 7s 5d 2h", WEAK)
    shown = did(bench, "expose", {"seat": 1, "high": ["As", "Ad", "Kc", "Kh"], "low": ["7s", "5d", "2h"]})
    assert (shown.irregularity, shown.rule) == ("wrong-set", "13:69F-34.12(g)3")
    assert pay(collect(bench), "1") == -2000


@pytest.mark.rule("13:69F-34.12(e)", "house:surrender")
def test_a_seat_surrenders_only_where_the_house_has_it_and_until_its_hands_are_exposed() -> None:
    player = "As Ad 7c 5d 2h Kc Qh"
    assert refusal(one_seat(player, WEAK), "decide", {"seat": 1, "choose": "surrender"}) == "not-expected-now"
    bench = one_seat(player, WEAK, surrender=True)
    outcome = decide(bench, 1, "surrender")
    assert outcome.rack == 39 + 7, "its cards are collected unseen, at once"
    assert pay(collect(bench), "1") == -2000
    shown = one_seat(player, WEAK, surrender=True)
    did(shown, "expose", {"seat": 1, "high": player.split()[:5], "low": player.split()[5:]})
    assert refusal(shown, "decide", {"seat": 1, "choose": "surrender"}) == "not-expected-now"


@pytest.mark.rule("house:house_way")
def test_the_dealers_hand_is_advised_and_another_set_is_sent_back_but_for_suits() -> None:
    cards = "Qs Qd Qh 9c 7s 4d 2h"
    bench = one_seat("As Ad 7c 5d 2c Kc Js", cards, dealer_set={"high": ["Qs", "Qd", "Qh", "4d", "2h"], "low": ["9c", "7s"]})
    assert bench.view().state == "settling"
    way: list[Plain] = [{"holding": "three-of-a-kind", "high": "pair", "low": "high-card"}, {"best": ["high"]}]
    bench = table(f"As Ad 7c 5d 2c Kc Js {cards}", seats=1, house_way=way)
    for key, value in (("wager", {"seat": 1}), ("close_bets", True), ("start", {"seat": 1})):
        did(bench, key, value)
    places(bench)
    did(bench, "stub_count", 39)
    did(bench, "set", {"seat": 1})
    usual = do(bench, "set", {"seat": "dealer", "high": ["Qs", "Qd", "Qh", "4d", "2h"], "low": ["9c", "7s"]})
    assert (usual.irregularity, usual.remedy, usual.state) == ("wrong-set", "reset-house-way", "setting")
    other_suit = did(bench, "set", {"seat": "dealer", "high": ["Qs", "Qh", "7s", "4d", "2h"], "low": ["Qd", "9c"]})
    assert other_suit.state == "settling", "which queen goes low does not matter"


@pytest.mark.rule("house:house_way")
def test_without_a_house_way_the_dealer_names_the_hand_and_it_stands() -> None:
    named = {"high": ["Kd", "9c", "8s", "6d", "Qs"], "low": ["Jh", "3d"]}
    bench = one_seat("As Ad 7c 5d 2h Kc Qh", WEAK, dealer_set=named, house_way=[])
    assert result(bench, "As Ad 7c 5d 2h Kc Qh").results == {"1": "win"}


@pytest.mark.rule("13:69F-34.12(b)")
def test_the_bonus_is_paid_by_posted_odds_and_outlives_a_surrender() -> None:
    bench = table(f"As Ad Ac Ah 2h Kc Qh {WEAK}", seats=1, surrender=True)
    did(bench, "wager", {"seat": 1, MAIN: 20, "bonus": 5})
    did(bench, "close_bets")
    did(bench, "start", {"seat": 1})
    places(bench)
    did(bench, "stub_count", 39)
    assert decide(bench, 1, "surrender").rack == 39, "its cards stay under the bonus wager"
    did(bench, "set", {"seat": "dealer"})
    outcome = collect(bench)
    assert outcome.results == {"1": {MAIN: "lose", "bonus": "odds"}}
    assert outcome.pays == {"1": {MAIN: "-20"}}


@pytest.mark.rule("house:player_bank")
def test_a_players_bank_is_said_not_to_be_adjudicated() -> None:
    setting = table().procedure.game.setting("player_bank")
    assert setting.allowed == ("not-adjudicated",)
    assert "settled by people" in setting.meaning


@pytest.mark.parametrize("game", ["pai-gow-poker", "asia-poker", "supreme-pai-gow"])
@pytest.mark.parametrize("when", ["dealing", "setting"])
def test_a_player_whose_card_was_exposed_may_void_the_hand_and_its_position_is_dealt_on(game: str, when: str) -> None:
    bench = open_table(game, "hand")
    main = bench.procedure.game.required_wager
    for seat in (1, 4):
        did(bench, "wager", {"seat": seat, main: 20})
    did(bench, "close_bets")
    did(bench, "start", {"seat": "dealer"})
    went = [bench.card().to for _ in range(9)] if when == "dealing" else places(bench)
    told = did(bench, "report", {"what": "player-card-exposed", "seat": 4})
    assert (told.remedy, told.state) == ("player-chooses", when)
    assert did(bench, "resolve", {"choose": "hand-dead"}, "supervisor:S1").alarms == (() if when == "dealing" else told.alarms[:0])
    went += places(bench)
    assert went.count("seat 4") == went.count("seat 1"), "the position gets its cards, so that as many are left as the count asks for"
    expected = bench.view().stub_expected
    did(bench, "stub_count", expected)
    did(bench, "set", {"seat": 1})
    assert bench.view().phase == "set 2", "only the other hand is set"
    assert refusal(bench, "set", {"seat": 4}) in ("not-your-turn", "not-expected-now")


def test_a_report_about_a_seat_without_a_wager_leaves_nothing_to_choose() -> None:
    bench = open_table(GAME, "hand")
    did(bench, "wager", {"seat": 1})
    did(bench, "close_bets")
    did(bench, "start", {"seat": 1})
    assert did(bench, "report", {"what": "player-card-exposed", "seat": 3}).alarms == ()
    assert refusal(bench, "resolve", {"choose": "hand-dead"}, "supervisor:S1") == "not-expected-now"


def test_the_wagers_of_a_voided_hand_go_back() -> None:
    bench = table(f"As Ad 7c 5d 2h Kc Qh {WEAK}", seats=1)
    did(bench, "wager", {"seat": 1, MAIN: 20, "bonus": 5})
    did(bench, "close_bets")
    did(bench, "start", {"seat": 1})
    places(bench)
    did(bench, "stub_count", 39)
    did(bench, "report", {"what": "player-card-exposed", "seat": 1})
    assert did(bench, "resolve", {"choose": "hand-dead"}, "supervisor:S1").phase == "set 2", "nobody else sets"
    did(bench, "set", {"seat": "dealer"})
    outcome = collect(bench)
    assert (outcome.results, pay(outcome, "1")) == ({"1": "void"}, 0)


def test_the_message_of_a_card_face_up_says_what_the_remedy_does() -> None:
    bench = open_table(GAME, "hand")
    bets(bench, 1)
    did(bench, "start", {"dice": 9})
    message = bench.card(face_up=True).message
    assert message.endswith("All hands are void, wagers go back, the cards are shuffled again.")
    assert "next card" not in message
