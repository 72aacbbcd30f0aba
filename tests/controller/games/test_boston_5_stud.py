"""Boston 5 Stud Poker by its sections, one rule at a time."""

from __future__ import annotations

import pytest

from controller.dealing.settings import Plain
from tests.controller.games.rounds import collect, decide, did, open_table, pay, places, refusal
from tests.controller.games.stacked import choose, dealt, settled
from tests.controller.table.bench import Bench

GAME = "boston-5-stud-poker"
ANTE = {"ante": 5, "first": 10}
BOTH = {"ante": 5, "first": 10, "bonus": 5}
ODDS: dict[str, Plain] = {"two-pair": 1, "three-of-a-kind": 2, "straight": 3}


def ready(wagers: dict[int, dict[str, object]], method: str = "hand", **house: Plain) -> Bench:
    bench = open_table(GAME, method, house)
    for seat, placed in wagers.items():
        did(bench, "wager", {"seat": seat, **placed})
    did(bench, "close_bets")
    return bench


def one_seat(player: str, dealer: str, wagers: dict[str, object] | None = None, **house: Plain) -> dict[str, float | None]:
    """Net units of seat 1's wagers after a whole round from stacks; the hands in the order dealt."""
    own, other = player.split(), dealer.split()
    cards = [*own[:3], *other[:3], own[3], other[3], own[4], other[4]]
    bench = dealt(GAME, {1: wagers or ANTE}, " ".join(cards), **house)
    if bench.view().state == "settling":
        did(bench, "expose", {"seat": 1})
    decide(bench, 1, "second")
    places(bench)
    settled(bench)
    assert bench.state.round is not None
    return {name: None if net is None else net / 100 for name, net in bench.state.round.pays["1"].items()}


@pytest.mark.rule("13:69F-23.8(c)", "13:69F-33.10(b)", "house:first_cards", "house:last_cards")
@pytest.mark.parametrize("method", ["manual-shoe", "hand"])
@pytest.mark.parametrize(
    ("way", "places_of"), [("one-at-a-time", lambda p, n: p * n), ("together", lambda p, n: [x for x in p for _ in range(n)])]
)
def test_three_cards_each_then_two_more_singly_or_together(method: str, way: str, places_of: object) -> None:
    assert callable(places_of)
    bench = ready({2: ANTE, 4: ANTE}, method, first_cards=way, last_cards=way)
    assert places(bench) == places_of(["seat 2", "seat 4", "dealer"], 3)
    choose(bench, {2: "fold", 4: "second"})
    assert places(bench) == places_of(["seat 4", "dealer"], 2)
    assert bench.view().stub_expected == 47 - 5 * 2 + 2


@pytest.mark.rule("13:69F-35.9(c)", "13:69F-35.9(d)", "house:stack_last_cards")
@pytest.mark.parametrize(("way", "last"), [("hand", ["seat 2", "seat 4", "dealer"] * 2), ("stack", ["seat 2", "seat 4", "dealer"])])
def test_stacks_of_three_then_two_cards_by_hand_or_as_stacks(way: str, last: list[str]) -> None:
    bench = ready({2: ANTE, 4: ANTE}, "automated-shoe", stack_last_cards=way)
    assert places(bench) == ["seat 2", "seat 4", "dealer"]
    choose(bench, {2: "second", 4: "second"})
    assert places(bench) == last
    assert bench.view().stub_expected == 47 - 5 * 2


@pytest.mark.rule("house:burn_before_last")
def test_a_house_may_burn_a_card_before_the_last_two() -> None:
    bench = ready({2: ANTE}, burn_before_last=True)
    places(bench)
    decide(bench, 2, "second")
    assert places(bench) == ["burn", "seat 2", "dealer", "seat 2", "dealer"]
    assert bench.view().stub_expected == 47 - 5 - 1


@pytest.mark.rule("13:69F-24")
def test_ante_and_first_wager_are_both_needed_and_first_is_twice_the_ante() -> None:
    bench = open_table(GAME)
    assert refusal(bench, "wager", {"seat": 1, "bonus": 5}) == "not-wagered"
    assert refusal(bench, "wager", {"seat": 1, "ante": 5, "first": 15}) == "bad-amount"
    did(bench, "wager", {"seat": 1, "ante": 5})
    assert refusal(bench, "close_bets") == "not-wagered"
    did(bench, "wager", {"seat": 1, "first": 10, "bonus": 25})
    did(bench, "close_bets")


@pytest.mark.rule("13:69F-24")
def test_the_second_wager_is_exactly_the_first() -> None:
    bench = ready({1: ANTE})
    places(bench)
    assert refusal(bench, "decide", {"seat": 1, "choose": "second", "amount": 5}) == "bad-amount"
    decide(bench, 1, "second", amount=10)


@pytest.mark.rule("13:69F-24")
@pytest.mark.parametrize(
    ("cards", "units"), [("Qc Jc Tc", 40), ("8h 8d 8c", 30), ("3h 2d Ac", 6), ("Kh 9h 4h", 3), ("8h 8d 2c", 1), ("Kh 9d 4h", -1)]
)
def test_the_bonus_is_settled_on_three_cards_before_the_decision(cards: str, units: int) -> None:
    bench = dealt(GAME, {1: BOTH}, f"{cards} | 7s 5d Ah")
    assert refusal(bench, "decide", {"seat": 1, "choose": "second"}) == "not-your-turn"
    assert did(bench, "expose", {"seat": 1}).state == "deciding"
    outcome = did(bench, "declare", {"seat": 1, "result": "win" if units > 0 else "lose"})
    assert outcome.alarms == ()
    assert pay(outcome, "1") == units * 500
    assert refusal(bench, "expose", {"seat": 1}) == "not-your-turn"


@pytest.mark.rule("13:69F-24")
def test_what_is_settled_later_is_not_told_with_the_bonus() -> None:
    bench = dealt(GAME, {1: BOTH}, "8h 8d 2c | 7s 5d Ah | 8s 7h 3c 7d")
    did(bench, "expose", {"seat": 1})
    did(bench, "declare", {"seat": 1, "result": "win"})
    decide(bench, 1, "second")
    places(bench)
    did(bench, "expose", {"seat": "dealer"})
    outcome = did(bench, "expose", {"seat": 1})
    assert outcome.results == {"1": "win"}
    assert outcome.pays == {"1": "5"}
    assert "1" not in outcome.hands
    assert "declare" in outcome.next
    outcome = did(bench, "declare", {"seat": 1, "result": "lose"})
    assert outcome.alarms == ("declared-differs",), "three eights beat three sevens"
    assert outcome.results["1"] == {"bonus": "win", "ante": "push", "first": "win", "second": "win", "ante_bonus": "odds"}


@pytest.mark.rule("13:69F-24")
def test_bonus_hands_are_shown_in_any_order_or_not_at_all() -> None:
    bench = dealt(GAME, {1: BOTH, 2: ANTE, 3: BOTH, 4: BOTH}, "")
    did(bench, "expose", {"seat": 4})
    assert refusal(bench, "expose", {"seat": 2}) == "not-your-turn"
    decide(bench, 1, "none")
    did(bench, "expose", {"seat": 3})
    choose(bench, {1: "fold", 2: "fold", 3: "fold", 4: "fold"})
    assert pay(collect(bench), "1") == -2000


@pytest.mark.rule("13:69F-24", "house:ante_bonus_table")
@pytest.mark.parametrize(
    ("player", "dealer", "expected"),
    [
        ("Th Td 4c 5s 9h", "Qh Jd 3c 3s 9c", {"ante": 0, "first": 10, "second": 10}),
        ("Th Td 4c 4s 9h", "Qh Qd 3c 3s 9c", {"ante": -5, "first": -10, "second": -10, "ante_bonus": 5}),
        ("Th Td Tc 4s 9h", "Qh Qd 3c 3s 9c", {"ante": 0, "first": 10, "second": 10, "ante_bonus": 10}),
        ("Kh Td 8c 4s 2h", "Kc Ts 8d 4h 2c", {"ante": 0, "first": 0, "second": 0}),
        ("5h 4d 3c 2s Ah", "6h 5d 4c 3s 2d", {"ante": -5, "first": -10, "second": -10, "ante_bonus": 15}),
        ("2h 4d 6c 8s Th", "3h 4c 6d 8c 9h", {"ante": 0, "first": 10, "second": 10}),
    ],
)
def test_the_settlement_table(player: str, dealer: str, expected: dict[str, int]) -> None:
    assert one_seat(player, dealer, ante_bonus_table=ODDS) == expected


@pytest.mark.rule("house:ante_bonus_table")
def test_without_a_table_the_ante_bonus_is_told_and_not_paid() -> None:
    assert one_seat("Th Td 4c 4s 9h", "Qh Qd 3c 3s 9c") == {"ante": -5, "first": -10, "second": -10, "ante_bonus": None}


@pytest.mark.rule("13:69F-33.10(a)", "13:69F-24")
def test_a_fold_loses_ante_and_first_and_keeps_what_the_bonus_won() -> None:
    bench = dealt(GAME, {1: BOTH, 2: ANTE}, "8h 8d 8c | Ks 9d 4h | 7s 5d Ah")
    did(bench, "expose", {"seat": 1})
    assert decide(bench, 1, "fold").rack == 3
    decide(bench, 2, "fold")
    outcome = collect(bench)
    assert outcome.results["1"] == {"bonus": "win", "ante": "lose", "first": "lose"}
    assert pay(outcome, "1") == 15_000 - 1_500


@pytest.mark.rule("house:bonus_in_void", "13:69F-28.12(a)")
@pytest.mark.parametrize(("house", "net"), [("stands", 500), ("returned", 0)])
def test_what_a_later_void_does_to_a_bonus_that_was_paid(house: str, net: int) -> None:
    bench = dealt(GAME, {1: BOTH, 2: ANTE}, "8h 8d 2c | Ks 9d 4h | 7s 5d Ah", bonus_in_void=house)
    did(bench, "expose", {"seat": 1})
    did(bench, "report", {"what": "wrong-count", "seat": 2, "cards": 4})
    assert pay(collect(bench), "1") == net


@pytest.mark.rule("13:69F-28.12(a)")
def test_a_dealers_card_seen_early_settles_the_bonus_on_the_three_cards() -> None:
    bench = dealt(GAME, {1: BOTH, 2: BOTH, 3: BOTH}, "8h 8d 2c | Ks 9d 4h | Kd 9c 4d | 7s 5d Ah")
    did(bench, "expose", {"seat": 1})
    decide(bench, 3, "none")
    did(bench, "report", {"what": "dealer-card-exposed"})
    outcome = collect(bench)
    assert [pay(outcome, seat) for seat in "123"] == [500, -500, -500]
