"""Four-Card Poker by its sections, one rule at a time."""

from __future__ import annotations

import pytest

from controller.dealing.procedure import ProcedureError, build_procedure
from controller.dealing.settings import Plain, SettingError
from controller.games import GAMES
from tests.controller.games.rounds import bets, collect, decide, did, open_table, pay, places, refusal
from tests.controller.games.stacked import choose, dealt, played, settled

GAME = "four-card-poker"
ANTE = {"ante": 10}
BOTH = {"ante": 10, "aces_up": 5}
DEALER = "Qh Qd 9c 8s 4d | 2c"
"""A pair of queens, the last card face up."""


@pytest.mark.rule("13:69F-27.9(a)", "13:69F-35.9(d)")
def test_stacks_of_five_then_the_dealers_sixth_card_by_hand_and_face_up() -> None:
    bench = open_table(GAME, "automated-shoe")
    bets(bench, 4, 2)
    assert places(bench) == ["seat 2", "seat 4", "dealer", "dealer"]
    assert bench.view().stub_expected == 46 - 5 * 2
    assert [held.shown for held in bench.state.round.hands["dealer"]] == [False] * 5 + [True]  # type: ignore[union-attr]


@pytest.mark.rule("PA 684a.10(b)", "house:sixth_card")
def test_the_sixth_card_may_be_the_top_of_one_more_stack_whose_others_are_racked() -> None:
    bench = open_table(GAME, "automated-shoe", {"sixth_card": "stack"})
    bets(bench, 4, 2)
    assert places(bench) == ["seat 2", "seat 4", "dealer", "dealer"]
    assert bench.view().stub_expected == 42 - 5 * 2
    assert bench.view().rack == 4 + 32
    hand = bench.state.round.hands["dealer"]  # type: ignore[union-attr]
    assert [held.shown for held in hand] == [False] * 5 + [True]


@pytest.mark.rule("13:69F-23.8(c)")
@pytest.mark.parametrize("method", ["manual-shoe", "hand"])
def test_five_passes_then_the_dealers_sixth_card(method: str) -> None:
    bench = open_table(GAME, method)
    bets(bench, 4, 2)
    assert places(bench) == ["seat 2", "seat 4", "dealer"] * 5 + ["dealer"]


@pytest.mark.rule("13:69F-27.6(a)")
@pytest.mark.parametrize("wagers", [{"ante": 10}, {"aces_up": 5}, {"ante": 10, "aces_up": 100}])
def test_ante_aces_up_or_both_put_a_seat_in_play_and_need_not_be_equal(wagers: dict[str, object]) -> None:
    bench = open_table(GAME)
    did(bench, "wager", {"seat": 1, **wagers})
    did(bench, "close_bets")


@pytest.mark.rule("13:69F-27.6(a)", "house:play_size")
@pytest.mark.parametrize(
    ("size", "taken", "refused"), [("any", (10, "17.50", 30), (9, "30.01", 40)), ("multiples", (10, 20, 30), (5, 15, "17.50", 40))]
)
def test_play_is_one_to_three_times_the_ante(size: str, taken: tuple[object, ...], refused: tuple[object, ...]) -> None:
    for amount in taken:
        decide(dealt(GAME, {1: ANTE}, "", play_size=size), 1, "play", amount=amount)
    bench = dealt(GAME, {1: ANTE}, "", play_size=size)
    for amount in refused:
        assert refusal(bench, "decide", {"seat": 1, "choose": "play", "amount": amount}) == "bad-amount"
    assert refusal(bench, "decide", {"seat": 1, "choose": "play"}) == "bad-amount", "several amounts are allowed: one must be told"


@pytest.mark.rule("13:69F-27.11(a)", "13:69F-27.3(b)")
@pytest.mark.parametrize(
    ("player", "dealer", "expected"),
    [
        ("Kh Kd 9s 4c 2h", DEALER, {"ante": 10, "play": 20}),
        ("Jh Jd 9s 4c 2h", DEALER, {"ante": -10, "play": -20}),
        ("Qs Qc 9s 8c 7h", DEALER, {"ante": 10, "play": 20}),
        ("Ah Kd 9s 8c 3d", "Ac Ks 9d 8h 4c | 2d", {"ante": 10, "play": 20}),
        ("4h 4d 4s Kc 9d", "Qh Qd Qs 8c 3d | 2c", {"ante": -10, "play": -20, "ante_bonus": 20}),
        ("4h 4d 4s 4c 9d", "Qh Qd Qs 8c 3d | 2c", {"ante": 10, "play": 20, "ante_bonus": 250}),
        ("5h 4h 3h 2h 9d", "Qh Qd Qs Qc 3d | 2c", {"ante": -10, "play": -20, "ante_bonus": 200}),
        ("Ah 8h 5h 3h Kd", "Qs Jd Tc 9h 9s | 2c", {"ante": 10, "play": 20}),
        ("Qs Jd Tc 9h 2s", "Ah 8h 5h 3h Kd | 2c", {"ante": -10, "play": -20}),
        ("7s 7d 7c 2h 3s", "Ah 8h 5h 4h Kd | 2c", {"ante": 10, "play": 20, "ante_bonus": 20}),
    ],
)
def test_the_settlement_table(player: str, dealer: str, expected: dict[str, int]) -> None:
    pays = played(GAME, {1: ANTE}, f"{player} | {dealer}", {1: ("play", 20)}).pays["1"]
    assert isinstance(pays, dict)
    assert {name: float(amount) for name, amount in pays.items()} == expected


@pytest.mark.rule("13:69F-27.1")
@pytest.mark.parametrize(
    ("hand", "units"),
    [
        ("7s 7d 7c 7h 3s", 50), ("As 2s 3s 4s Kd", 40), ("7s 7d 7c 2h 3s", 8), ("Ah 8h 5h 3h Kd", 5), ("Kc Jd Tc 9h Qs", 4),
        ("3s 3c 5d 5h Ks", 3), ("As Ad 5h 7c 9s", 1), ("Ks Kc 5h 7c 9s", -1), ("As Kc 5h 7c 9s", -1),
    ],
)  # fmt: skip
def test_aces_up_is_paid_by_its_table_from_a_pair_of_aces_on(hand: str, units: int) -> None:
    assert pay(played(GAME, {1: {"aces_up": 5}}, f"{hand} | {DEALER}", {}), "1") == units * 500


@pytest.mark.rule("13:69F-33.10(a)", "house:side_wager_after_fold")
@pytest.mark.parametrize(("house", "net"), [("stays", -1000 + 500), ("lost", -1500)])
def test_what_a_fold_does_to_aces_up(house: str, net: int) -> None:
    outcome = played(
        GAME, {1: BOTH, 2: ANTE}, f"As Ad 5h 7c 9s | Ks Kc 5d 7d 9h | {DEALER}", {1: "fold", 2: ("play", 10)}, side_wager_after_fold=house
    )
    assert (pay(outcome, "1"), pay(outcome, "2")) == (net, 2000)


@pytest.mark.rule("13:69F-33.10(a)")
def test_only_seats_with_an_ante_are_asked_in_order() -> None:
    bench = dealt(GAME, {1: {"aces_up": 5}, 2: ANTE, 3: ANTE}, "")
    assert refusal(bench, "decide", {"seat": 1, "choose": "fold"}) == "not-your-turn"
    assert refusal(bench, "decide", {"seat": 3, "choose": "fold"}) == "not-your-turn"
    choose(bench, {2: "fold", 3: "fold"})
    assert settled(bench).state == "complete"


@pytest.mark.rule("13:69F-28.12(a)")
def test_a_down_card_seen_early_voids_the_hands_and_aces_up_stands() -> None:
    bench = dealt(GAME, {1: BOTH, 2: BOTH}, f"As Ad 5h 7c 9s | Ks Kc 5d 7d 9h | {DEALER}")
    decide(bench, 1, "fold")
    did(bench, "report", {"what": "dealer-card-exposed"})
    outcome = collect(bench)
    assert outcome.results["1"] == {"ante": "void", "aces_up": "win"}
    assert (pay(outcome, "1"), pay(outcome, "2")) == (500, -500)


@pytest.mark.rule("13:69F-27.12(a)")
def test_the_face_up_rows_are_read_in_the_law() -> None:
    rows = build_procedure(GAMES[GAME], "hand").irregularities
    assert {str(rows[kind].rule.standing) for kind in ("card-face-up", "cards-face-up")} == {"law"}


def test_nine_seats_are_served_and_with_a_further_stack_eight() -> None:
    build_procedure(GAMES[GAME], "automated-shoe", {"seats": 9})
    build_procedure(GAMES[GAME], "automated-shoe", {"seats": 8, "sixth_card": "stack"})
    with pytest.raises(ProcedureError, match=r"9 seats x 5 cards . 10 for the dealer = 55, but the deck has 52"):
        build_procedure(GAMES[GAME], "automated-shoe", {"seats": 9, "sixth_card": "stack"})


@pytest.mark.parametrize(
    ("name", "table"),
    [
        ("aces_up_table", {"pair": 1}),
        ("aces_up_table", {"full-house": 5}),
        ("ante_bonus_table", {"pair-of-aces": 1}),
        ("aces_up_table", {"flush": -1}),
    ],
)
def test_pay_tables_name_hands_of_this_game(name: str, table: dict[str, Plain]) -> None:
    with pytest.raises(SettingError, match=name):
        build_procedure(GAMES[GAME], "hand", {name: table})
