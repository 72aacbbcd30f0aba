"""Casino War by its sections, and its tie rate against exact counting, through the comparison that the table uses."""

from __future__ import annotations

from fractions import Fraction

import pytest

from controller.dealing.procedure import ProcedureError, build_procedure
from controller.dealing.settings import Plain, SettingError
from controller.decks import DeckSpec, census_of
from controller.games import GAMES
from controller.games.casino_war import compare
from firmware_bridge.cards import card_from_code, parse_card
from tests.controller.games.rounds import bets, collect, decide, did, open_table, pay, places, refusal
from tests.controller.table.bench import Bench

GAME = "casino-war"


def table(cards: str, **house: Plain) -> Bench:
    return open_table(GAME, "manual-shoe", {"shoe_start_burn": False, **house}, cards)


def tied(cards: str, **house: Plain) -> Bench:
    """Seat 1 has tied sixes with the dealer; `cards` come next."""
    bench = table(f"6c 6s {cards}", **house)
    bets(bench, 1)
    places(bench)
    return bench


def test_each_wagering_seat_gets_one_card_face_up_and_the_dealer_the_last() -> None:
    bench = open_table(GAME, "manual-shoe", {}, "2h 9c Kd 7h 9s")
    bets(bench, 2, 4, 7)
    assert places(bench) == ["burn", "seat 2", "seat 4", "seat 7", "dealer"]
    assert bench.view().rack == 1


@pytest.mark.parametrize(("player", "dealer", "expected"), [("As", "Kd", 1), ("2s", "As", -1), ("Td", "9c", 1), ("7h", "7c", 0)])
def test_the_ace_is_high_and_suits_do_not_count(player: str, dealer: str, expected: int) -> None:
    assert compare(parse_card(player), parse_card(dealer)) == expected
    assert compare(parse_card(dealer), parse_card(player)) == -expected


@pytest.mark.parametrize("decks", [6, 7, 8])
def test_the_tie_rate_is_what_exact_counting_gives(decks: int) -> None:
    """All ordered pairs of two cards of the shoe, weighted by how many of each there are."""
    census = {card: copies for code, copies in census_of(DeckSpec(decks=decks)).items() if (card := card_from_code(code)) is not None}
    shoe = sum(census.values())
    weight = {1: 0, 0: 0, -1: 0}
    for first, copies in census.items():
        for second, others in census.items():
            weight[compare(first, second)] += copies * (others - (first is second))
    assert sum(weight.values()) == shoe * (shoe - 1)
    assert Fraction(weight[0], shoe * (shoe - 1)) == Fraction(4 * decks - 1, 52 * decks - 1)
    assert weight[1] == weight[-1]
    assert {6: 0.073955, 7: 0.074380, 8: 0.074699}[decks] == pytest.approx(weight[0] / (shoe * (shoe - 1)), abs=5e-7)


def test_only_tied_seats_are_asked_and_the_others_are_settled_first() -> None:
    bench = table("9c Kd 7h 9s")
    bets(bench, 1, 2, 3, tie=5)
    places(bench)
    outcome = bench.view()
    assert (outcome.state, outcome.turn) == ("deciding", "seat 1")
    assert did(bench, "declare", {"seat": 2, "result": "win"}).pays == {"2": {"initial": "10", "tie": "-5"}}
    assert did(bench, "declare", {"seat": 3, "result": "lose"}).alarms == ()
    for seat in (2, 3):
        assert refusal(bench, "decide", {"seat": seat, "choose": "war"}) == "not-your-turn"
    decide(bench, 1, "surrender")
    over = collect(bench)
    assert over.pays == {"1": {"initial": "-5", "tie": "50"}, "2": {"initial": "10", "tie": "-5"}, "3": {"initial": "-10", "tie": "-5"}}


def test_without_a_tie_nobody_is_asked_and_no_card_is_burned() -> None:
    bench = table("9c Kd 7h Ts")
    bets(bench, 1, 2, 3)
    places(bench)
    assert bench.view().state == "collecting"
    assert collect(bench).rack == 4


WARS = [
    ("Js", "8d", {"initial": "push", "war": "win"}, 1000), ("8d", "Js", {"initial": "lose", "war": "lose"}, -2000),
    ("5c", "5h", {"initial": "push", "war": "win"}, 1000),
]  # fmt: skip


@pytest.mark.parametrize(("mine", "theirs", "results", "paid"), WARS)
def test_a_war_is_one_more_card_each_and_a_second_tie_ends_it(mine: str, theirs: str, results: dict[str, str], paid: int) -> None:
    bench = tied(f"Qc 4d 4s {mine} {theirs}")
    assert decide(bench, 1, "war").gate == "open"
    assert places(bench) == ["burn", "burn", "burn", "seat 1", "dealer"]
    outcome = collect(bench)
    words = set(results.values())
    assert outcome.results["1"] == (results if len(words) > 1 else words.pop())
    assert pay(outcome, "1") == paid


@pytest.mark.rule("house:second_tie_bonus")
@pytest.mark.parametrize(("bonus", "theirs", "paid"), [(0, "5h", 1000), (1, "5h", 2000), (1, "4h", 1000), (1, "6h", -2000)])
def test_the_bonus_of_a_second_tie_is_the_houses(bonus: int, theirs: str, paid: int) -> None:
    bench = tied(f"Qc 4d 4s 5c {theirs}", second_tie_bonus=bonus)
    decide(bench, 1, "war")
    places(bench)
    assert pay(collect(bench), "1") == paid


@pytest.mark.rule("house:war_burns")
@pytest.mark.parametrize(
    ("burns", "order"),
    [
        ("once", "bbb 1 3 d"), ("players-and-dealer", "bbb 1 3 bbb d"), ("every-card", "bbb 1 bbb 3 bbb d"),
    ],
)  # fmt: skip
def test_cards_are_burned_in_one_of_three_patterns(burns: str, order: str) -> None:
    bench = table("6c 9d 6d 6s", war_burns=burns)
    bets(bench, 1, 2, 3)
    places(bench)
    decide(bench, 1, "war")
    decide(bench, 3, "war")
    letters = {"burn": "b", "dealer": "d", "seat 1": "1", "seat 3": "3"}
    assert "".join(letters[place] for place in places(bench)) == order.replace(" ", "")
    assert collect(bench).rack == 4 + len(order.replace(" ", ""))


def test_the_war_wager_equals_the_initial_wager() -> None:
    bench = tied("Qc 4d 4s 5c 3h")
    for amount in (5, 20, "10.01"):
        assert refusal(bench, "decide", {"seat": 1, "choose": "war", "amount": amount}) == "bad-amount"
    decide(bench, 1, "war", amount=10)


def test_a_tie_wager_on_the_war_is_placed_before_it_and_wins_only_when_the_war_ties() -> None:
    for theirs, paid in (("5h", 5000), ("3h", -500)):
        bench = tied(f"Qc 4d 4s 5c {theirs}")
        assert decide(bench, 1, "war_tie", amount=5).state == "deciding"
        assert refusal(bench, "decide", {"seat": 1, "choose": "surrender"}) == "bad-option"
        assert refusal(bench, "decide", {"seat": 1, "choose": "war_tie", "amount": 5}) == "bad-option"
        decide(bench, 1, "war")
        places(bench)
        pays = collect(bench).pays["1"]
        assert isinstance(pays, dict)
        assert round(float(pays["war_tie"]) * 100) == paid


def test_half_of_an_odd_wager_is_rounded_for_the_house() -> None:
    bench = table("6c 6s")
    bets(bench, 1, amount="7.25")
    places(bench)
    decide(bench, 1, "surrender")
    assert pay(collect(bench), "1") == -363


@pytest.mark.parametrize(("method", "why"), [("hand", "shoe of several decks"), ("automated-shoe", "one at a time")])
def test_a_method_that_the_game_does_not_have_is_refused_with_its_rule(method: str, why: str) -> None:
    with pytest.raises(ProcedureError, match=f"not dealt by {method}: .*{why}.*trade practice"):
        build_procedure(GAMES[GAME], method)


def test_fewer_decks_are_refused_with_the_rule() -> None:
    with pytest.raises(SettingError, match="6, 7, 8"):
        build_procedure(GAMES[GAME], "manual-shoe", {"decks": 5})


def test_a_card_that_was_not_read_is_named_before_anything_is_compared() -> None:
    bench = table("9c 9s")
    bets(bench, 1)
    outcome = bench.card(unreadable=True)
    assert (outcome.irregularity, outcome.state) == ("unreadable-card", "suspended")
    assert refusal(bench, "resolve", {"choose": "continue"}, "supervisor:S1") is not None
    assert did(bench, "rescan", "9c", "supervisor:S1").state == "dealing"
