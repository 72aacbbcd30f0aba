"""Two-card hands of the pai gow family, and four-card holdings that a casino names in its own rules."""

import itertools
import random

import pytest

from controller.hands.errors import HandError
from controller.hands.four_card import HOLDINGS, UnknownHoldingError, parse_holdings, suited_pairs
from controller.hands.two_card import TwoCardCategory, evaluate_two, two_card_value
from firmware_bridge.cards import FRENCH_CARDS, JOKER, UNREADABLE, Card, parse_card


def hand(text: str) -> list[Card]:
    return [parse_card(name) for name in text.split()]


@pytest.mark.rule("13:69F-34.12(f)")
def test_a_pair_stands_over_no_pair_and_then_the_higher_cards_decide() -> None:
    falling = ["As Ad", "Ks Kd", "2c 2d", "As Kd", "As 2d", "Ks Qd", "Ks 3d", "4c 3c", "3c 2c"]
    values = [evaluate_two(hand(text)).value for text in falling]
    assert values == sorted(values, reverse=True)
    assert len(set(values)) == len(values)


def test_suits_and_neighbouring_ranks_do_not_count_and_equal_hands_are_equal() -> None:
    assert evaluate_two(hand("Qc Qd")).value == evaluate_two(hand("Qs Qh")).value
    assert evaluate_two(hand("Ks Qs")).value == evaluate_two(hand("Kd Qh")).value == evaluate_two(hand("Qh Kd")).value


def test_every_two_cards_compare_as_pair_then_high_then_low() -> None:
    def plain(first: Card, second: Card) -> tuple[bool, int, int]:
        ranks = sorted((card.rank if card.rank > 1 else 14 for card in (first, second)), reverse=True)
        return (ranks[0] == ranks[1], ranks[0], ranks[1])

    pairs = list(itertools.combinations(FRENCH_CARDS, 2))
    rng = random.Random(34)
    for _ in range(5_000):
        one, other = rng.choice(pairs), rng.choice(pairs)
        ours = two_card_value(*(card.code for card in one)), two_card_value(*(card.code for card in other))
        assert (ours[0] > ours[1], ours[0] == ours[1]) == (plain(*one) > plain(*other), plain(*one) == plain(*other))


def test_a_two_card_hand_in_words() -> None:
    pair, high = evaluate_two(hand("6h 6c")), evaluate_two(hand("3h Kd"))
    assert (pair.category, pair.text) == (TwoCardCategory.PAIR, "pair of sixes")
    assert (high.category, high.text, high.cards) == (TwoCardCategory.HIGH_CARD, "K 3 high", tuple(hand("Kd 3h")))
    assert evaluate_two(hand("Tc As")).text == "A 10 high"


@pytest.mark.parametrize("cards", [[], hand("As"), hand("As Ad Ah"), [*hand("As"), JOKER], [UNREADABLE, *hand("As")]])
def test_what_is_no_two_card_hand_is_refused(cards: list[Card]) -> None:
    with pytest.raises(HandError):
        evaluate_two(cards)


HELD = {
    "9h 9h 9h 9h": {"four-suited", "four-of-a-kind", "two-suited-pairs", "three-of-a-kind", "flush", "two-pair", "suited-pair", "pair"},
    "As Ad Ah Ac": {"four-aces", "four-of-a-kind", "three-of-a-kind", "two-pair", "pair"},
    "9h 9h 9d 9d": {"four-of-a-kind", "two-suited-pairs", "three-of-a-kind", "two-pair", "suited-pair", "pair"},
    "9h 9h 9d 2c": {"three-of-a-kind", "suited-pair", "pair"},
    "9h 9h 2c 2c": {"two-suited-pairs", "two-pair", "suited-pair", "pair"},
    "9h 9d 2c 2c": {"two-pair", "suited-pair", "pair"},
    "9h 9d 2c 3c": {"pair"},
    "9h 8h 7h 6h": {"straight-flush", "straight", "flush"},
    "9h 8h 7h 6c": {"straight"},
    "Ah 2h 3h 4h": {"straight-flush", "straight", "flush"},
    "Ah Kh Qh Jc": {"straight"},
    "Kh Ah 2h 3c": set(),
    "9h 9h 8h 7h": {"flush", "suited-pair", "pair"},
    "9h 8h 7h 5c": set(),
}


@pytest.mark.parametrize("cards", HELD)
def test_each_holding_is_seen_where_it_is_and_nowhere_else(cards: str) -> None:
    for order in itertools.permutations(hand(cards)):
        assert {name for name, holds in HOLDINGS.items() if holds(order)} == HELD[cards]


def test_every_holding_is_among_the_examples() -> None:
    assert set().union(*HELD.values()) == set(HOLDINGS)


def test_the_first_name_that_holds_is_announced() -> None:
    natural = parse_holdings(["four-of-a-kind", "two-suited-pairs"])
    assert natural.named(hand("9h 9d 9s 9c")) == "four-of-a-kind"
    assert natural.named(hand("9h 9h 2c 2c")) == "two-suited-pairs"
    assert natural.named(hand("9h 9h 2c 3c")) is None
    assert parse_holdings([]).named(hand("9h 9h 9h 9h")) is None


def test_an_unknown_name_is_refused_with_the_nearest_one() -> None:
    with pytest.raises(UnknownHoldingError, match="the nearest is 'four-of-a-kind'"):
        parse_holdings(["four-of-kind"])
    with pytest.raises(UnknownHoldingError, match="twice"):
        parse_holdings(["flush", "flush"])


@pytest.mark.parametrize("cards", [hand("As Ad Ah"), [*hand("As Ad Ah"), JOKER], hand("As Ad Ah Ac Ks")])
def test_a_holding_is_asked_of_four_ranked_cards(cards: list[Card]) -> None:
    with pytest.raises(HandError):
        parse_holdings(["pair"]).named(cards)


def test_three_equal_cards_make_one_suited_pair_only() -> None:
    assert suited_pairs(hand("9h 9h 9h 2c")) == 1
