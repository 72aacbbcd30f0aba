"""Red Dog by its sections, and its spreads against exact counting, through the functions that the table uses."""

from __future__ import annotations

from fractions import Fraction

import pytest

from controller.dealing.procedure import ProcedureError, build_procedure
from controller.dealing.settings import Plain, SettingError
from controller.decks import DeckSpec, census_of
from controller.games import GAMES
from controller.games.red_dog import CONSECUTIVE, PAIR, is_between, spread_of
from controller.table.outcome import Outcome
from firmware_bridge.cards import Card, card_from_code, parse_card
from tests.controller.games.rounds import bets, collect, decide, did, open_table, pay, refusal
from tests.controller.table.bench import Bench

GAME = "red-dog"


def table(cards: str, **house: Plain) -> Bench:
    return open_table(GAME, "manual-shoe", {"shoe_start_burn": False, **house}, cards)


def two_cards(cards: str, *seats: int, **house: Plain) -> tuple[Bench, Outcome]:
    """The two common cards lie."""
    bench = table(cards, **house)
    bets(bench, *(seats or (1,)))
    assert bench.card().to == "community 1"
    return bench, bench.card()


@pytest.mark.parametrize(
    ("left", "right", "spread"),
    [("7c", "Td", 2), ("2c", "Ad", 11), ("Ac", "Kd", 0), ("Ac", "2d", 11), ("8c", "8d", -1), ("9c", "8d", 0), ("3c", "5d", 1),
     ("4c", "9d", 4)],
)  # fmt: skip
def test_the_spread_is_what_lies_between_and_the_ace_is_high(left: str, right: str, spread: int) -> None:
    assert spread_of(parse_card(left), parse_card(right)) == spread
    assert spread_of(parse_card(right), parse_card(left)) == spread


@pytest.mark.parametrize("decks", [1, 2, 6, 8])
def test_spreads_and_wins_are_as_frequent_as_exact_counting_gives(decks: int) -> None:
    """All ordered pairs of two ranks of the shoe, and all third cards, weighted by how many of each there are."""
    counts: dict[Card, int] = {}
    for code, copies in census_of(DeckSpec(decks=decks)).items():
        card = card_from_code(code)
        assert card is not None
        rank = next((known for known in counts if known.rank == card.rank), card)
        counts[rank] = counts.get(rank, 0) + copies
    shoe = sum(counts.values())
    pairs: dict[int, int] = {}
    winners: dict[int, int] = {}
    for left, copies in counts.items():
        for right, others in counts.items():
            weight = copies * (others - (left is right))
            spread = spread_of(left, right)
            pairs[spread] = pairs.get(spread, 0) + weight
            winners[spread] = winners.get(spread, 0) + weight * sum(
                number for third, number in counts.items() if is_between(left, right, third)
            )
    assert sum(pairs.values()) == shoe * (shoe - 1)
    each = 4 * decks
    assert Fraction(pairs[PAIR], shoe * (shoe - 1)) == Fraction(each - 1, shoe - 1)
    for spread in range(CONSECUTIVE, 12):
        assert pairs[spread] == 2 * (12 - spread) * each * each, "so many pairs of ranks are that far apart"
        assert Fraction(winners[spread], pairs[spread]) == spread * each
    assert set(pairs) == {PAIR, *range(12)}
    assert winners[PAIR] == winners[CONSECUTIVE] == 0
    if decks == 8:
        assert pairs[PAIR] / (shoe * (shoe - 1)) == pytest.approx(0.074699, abs=5e-7)
        assert pairs[4] / (shoe * (shoe - 1)) == pytest.approx(0.094903, abs=5e-7)


def test_the_spread_is_announced_and_raises_are_asked_from_the_dealers_left() -> None:
    bench, outcome = two_cards("4c 9d 7s", 1, 4)
    assert outcome.message == "Spread 4: set the marker, then ask for raises."
    assert (outcome.state, outcome.turn) == ("deciding", "seat 1")
    assert refusal(bench, "decide", {"seat": 4, "choose": "call"}) == "not-your-turn"
    decide(bench, 1, "call")
    assert decide(bench, 4, "raise", amount=3).gate == "open"
    third = bench.card()
    assert (third.to, third.card) == ("community 3", "7s")
    outcome = collect(bench)
    assert (pay(outcome, "1"), pay(outcome, "4")) == (1000, 1300)


def test_a_pair_is_announced_and_its_third_card_comes_at_once() -> None:
    bench, outcome = two_cards("8c 8h 8d")
    assert outcome.message == "Pair of eights: no raises; the third card now."
    assert (outcome.gate, outcome.next) == ("open", ("card",))
    bench.card()
    assert pay(collect(bench), "1") == 11_000


def test_consecutive_cards_end_the_round_and_a_third_card_is_drawn_in_error() -> None:
    bench, outcome = two_cards("Ks Ad 3c")
    assert outcome.message == "Consecutive: the round ends, no third card."
    assert (outcome.gate, outcome.state) == ("locked", "collecting")
    assert bench.card().irregularity == "card-drawn-in-error"
    outcome = collect(bench)
    assert (outcome.results, pay(outcome, "1")) == ({"1": "push"}, 0)


@pytest.mark.parametrize(
    ("cards", "original", "raised"),
    [
        ("4c 6d 5s", 5000, 2500), ("4c 7d 5s", 4000, 2000), ("4c 8d 6s", 2000, 1000), ("4c 9d 8s", 1000, 500), ("2c Ad 3s", 1000, 500),
        ("4c 6d 4s", -1000, -500), ("4c 6d 6s", -1000, -500), ("4c 6d As", -1000, -500), ("9c 4d 3s", -1000, -500),
    ],
)  # fmt: skip
def test_a_third_card_strictly_between_pays_by_the_spread_and_any_other_loses_all(cards: str, original: int, raised: int) -> None:
    bench, _ = two_cards(cards)
    decide(bench, 1, "raise", amount=5)
    bench.card()
    outcome = collect(bench)
    pays = outcome.pays["1"]
    assert isinstance(pays, dict)
    assert {name: round(float(text) * 100) for name, text in pays.items()} == {"original": original, "raise": raised}


def test_a_pair_and_another_card_push() -> None:
    bench, _ = two_cards("8c 8h Jd")
    bench.card()
    assert pay(collect(bench), "1") == 0


@pytest.mark.rule("house:raise_limit")
@pytest.mark.parametrize(
    ("limit", "amount", "code"),
    [("up-to", 10, None), ("up-to", "0.01", None), ("up-to", "10.01", "bad-amount"), ("equal", 10, None), ("equal", 9, "bad-amount")],
)
def test_a_raise_is_at_most_the_original_wager_or_equal_as_the_house_says(limit: str, amount: object, code: str | None) -> None:
    bench, _ = two_cards("4c 9d", raise_limit=limit)
    assert refusal(bench, "decide", {"seat": 1, "choose": "raise", "amount": amount}) == code


@pytest.mark.rule("house:spread_odds")
@pytest.mark.parametrize("odds", [{"1": 5}, {"1": 5, "2": 4, "3": 2, "5": 1}, {"1": 5, "2": 4, "3": 2, "4": 0}, 5, {}])
def test_odds_that_are_not_for_every_spread_are_refused(odds: Plain) -> None:
    with pytest.raises(SettingError, match="spread_odds"):
        build_procedure(GAMES[GAME], "manual-shoe", {"spread_odds": odds})


def test_posted_odds_are_paid() -> None:
    bench, _ = two_cards("4c 6d 5s", spread_odds={"1": 6, "2": 4, "3": 2, "4": 1}, pair_odds=12)
    decide(bench, 1, "call")
    bench.card()
    assert pay(collect(bench), "1") == 6000


@pytest.mark.parametrize("method", ["hand", "automated-shoe"])
def test_a_method_that_the_game_does_not_have_is_refused_with_its_rule(method: str) -> None:
    with pytest.raises(ProcedureError, match=f"red-dog is not dealt by {method}: .*memory"):
        build_procedure(GAMES[GAME], method)


def test_a_third_card_drawn_too_early_waits_for_the_raises() -> None:
    bench, _ = two_cards("4c 9d 7s")
    assert bench.card().to == "aside"
    outcome = decide(bench, 1, "raise", amount=10)
    assert (outcome.to, outcome.state) == ("community 3", "collecting")
    assert pay(collect(bench), "1") == 2000


def test_common_cards_that_were_not_read_are_named_before_the_spread_is_told() -> None:
    bench = table("4c 9d 7s")
    bets(bench, 1)
    bench.card()
    assert bench.card(unreadable=True).state == "suspended"
    outcome = did(bench, "rescan", "4c 9d", "supervisor:S1")
    assert outcome.state == "deciding"
    assert "Spread 4" in outcome.message
