"""Poker ranking: categories, the cards used, words, several decks, and every five-card hand counted."""

import itertools
import random
from collections import Counter
from collections.abc import Iterable, Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.hands import poker
from controller.hands.errors import HandError
from controller.hands.poker import (
    CATEGORIES,
    PokerCategory,
    category_of,
    describe,
    evaluate,
    hand_value,
    high_rank,
    rank_name,
    rank_symbol,
    ranks_of,
)
from firmware_bridge.cards import FRENCH_CARDS, JOKER, UNREADABLE, Card, parse_card

FREQUENCIES = {
    PokerCategory.ROYAL_FLUSH: 4,
    PokerCategory.STRAIGHT_FLUSH: 36,
    PokerCategory.FOUR_OF_A_KIND: 624,
    PokerCategory.FULL_HOUSE: 3_744,
    PokerCategory.FLUSH: 5_108,
    PokerCategory.STRAIGHT: 10_200,
    PokerCategory.THREE_OF_A_KIND: 54_912,
    PokerCategory.TWO_PAIR: 123_552,
    PokerCategory.PAIR: 1_098_240,
    PokerCategory.HIGH_CARD: 1_302_540,
}
ALL_HANDS = 2_598_960
DIFFERENT_VALUES = 7_462


def hand(text: str) -> list[Card]:
    return [parse_card(name) for name in text.split()]


CASES = [
    ("As Ks Qs Js Ts", PokerCategory.ROYAL_FLUSH, "As Ks Qs Js Ts", "royal flush"),
    ("9h 8h 7h 6h 5h", PokerCategory.STRAIGHT_FLUSH, "9h 8h 7h 6h 5h", "straight flush, nine high"),
    ("Ad 2d 3d 4d 5d", PokerCategory.STRAIGHT_FLUSH, "5d 4d 3d 2d Ad", "straight flush, five high"),
    ("9c 9d 9h 9s Kd", PokerCategory.FOUR_OF_A_KIND, "9c 9d 9h 9s Kd", "four nines"),
    ("4h Ks Kd 4s Kc", PokerCategory.FULL_HOUSE, "Ks Kd Kc 4h 4s", "kings full of fours"),
    ("Ah Jh 9h 4h 2h", PokerCategory.FLUSH, "Ah Jh 9h 4h 2h", "flush, A J 9 4 2"),
    ("Th 9c 8d 7s 6h", PokerCategory.STRAIGHT, "Th 9c 8d 7s 6h", "straight, ten high"),
    ("Ac 2d 3h 4s 5c", PokerCategory.STRAIGHT, "5c 4s 3h 2d Ac", "straight, five high"),
    ("Ac Kd Qh Js Tc", PokerCategory.STRAIGHT, "Ac Kd Qh Js Tc", "straight, ace high"),
    ("9h 9c Jd 9s 4s", PokerCategory.THREE_OF_A_KIND, "9h 9c 9s Jd 4s", "three nines"),
    ("6c 6d Ah 2s 2c", PokerCategory.TWO_PAIR, "6c 6d 2s 2c Ah", "sixes and deuces"),
    ("Ac Ad 9h 5s 3c", PokerCategory.PAIR, "Ac Ad 9h 5s 3c", "pair of aces"),
    ("Kd Qd Jd 9s 4s", PokerCategory.HIGH_CARD, "Kd Qd Jd 9s 4s", "K Q J 9 4 high"),
    ("Ts Kd 2c 3d 4h", PokerCategory.HIGH_CARD, "Kd Ts 4h 3d 2c", "K 10 4 3 2 high"),
    ("Qs Kd Ac 2h 3h", PokerCategory.HIGH_CARD, "Ac Kd Qs 3h 2h", "A K Q 3 2 high"),
    # seven cards
    ("2c 3c 9h 9s Jc Jd 9c", PokerCategory.FULL_HOUSE, "9h 9s 9c Jc Jd", "nines full of jacks"),
    ("9h 9s 9c Jc Jd Js Ah", PokerCategory.FULL_HOUSE, "Jc Jd Js 9h 9s", "jacks full of nines"),
    ("Ah Kh 2h 7h 9h 9s 9d", PokerCategory.FLUSH, "Ah Kh 9h 7h 2h", "flush, A K 9 7 2"),
    ("2c 2d 5h 5s 9c 9d Kh", PokerCategory.TWO_PAIR, "9c 9d 5h 5s Kh", "nines and fives"),
    ("Ah 2h 3h 4h 5h 6s Kd", PokerCategory.STRAIGHT_FLUSH, "5h 4h 3h 2h Ah", "straight flush, five high"),
    ("8c 7d 6h 5s 4c 3d 2h", PokerCategory.STRAIGHT, "8c 7d 6h 5s 4c", "straight, eight high"),
    # several decks
    ("Kh Kh Kh Kh Kh", PokerCategory.SUITED_FIVE_OF_A_KIND, "Kh Kh Kh Kh Kh", "five suited kings"),
    ("Kh Kh Kh Kh Ks", PokerCategory.FIVE_OF_A_KIND, "Kh Kh Kh Kh Ks", "five kings"),
    ("Kh Kh 9h 7h 2h", PokerCategory.FLUSH, "Kh Kh 9h 7h 2h", "flush, K K 9 7 2"),
    ("Kh Kh Kh 7h 7h", PokerCategory.FULL_HOUSE, "Kh Kh Kh 7h 7h", "kings full of sevens"),
    ("Ah Ah Kh Qh Jh Th 9h", PokerCategory.ROYAL_FLUSH, "Ah Kh Qh Jh Th", "royal flush"),
]


@pytest.mark.parametrize(("cards", "category", "used", "text"), CASES)
def test_a_hand_has_its_category_its_five_cards_and_its_words(cards: str, category: PokerCategory, used: str, text: str) -> None:
    ranked = evaluate(hand(cards))
    assert (ranked.category, list(ranked.cards), ranked.text) == (category, hand(used), text)


@pytest.mark.rule("13:69F-21.8(k)")
def test_with_several_decks_the_categories_stand_in_the_houses_order() -> None:
    rising = [
        "Kd Qd Jd 9s 4s",
        "2c 2d 5h 7s 9c",
        "2c 2d 3h 3s 4c",
        "2c 2d 2h 3s 4c",
        "Ac 2d 3h 4s 5c",
        "2h 2h 3h 4h 7h",
        "2c 2d 2h 3s 3c",
        "2c 2d 2h 2s 3c",
        "2c 2d 2h 2s 2c",
        "Ac 2c 3c 4c 5c",
        "Ac Kc Qc Jc Tc",
        "2c 2c 2c 2c 2c",
    ]
    ranked = [evaluate(hand(text)) for text in rising]
    assert [one.category for one in ranked] == list(CATEGORIES)
    assert [one.value for one in ranked] == sorted(one.value for one in ranked)


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        ("2c 3d 4h 5s 6c", "Ac 2d 3h 4s 5c"),
        ("Ac Ad Kh 3s 2c", "Ac Ad Qh Js 9c"),
        ("Ac Ad 3h 3s 2c", "Kc Kd Qh Qs Ac"),
        ("3c 3d 3h 2s 2c", "2c 2d 2h As Ac"),
        ("Ah Kh Qh Jh 9h", "Ac Kc Qc Jc 8c"),
        ("Ah Ah Qh 3h 2h", "Ah Kh Qh Jh 9h"),
        ("7c 7d 7h 7s 3c", "7c 7d 7h 7s 2c"),
    ],
)
def test_within_a_category_the_cards_decide_in_their_order(better: str, worse: str) -> None:
    assert evaluate(hand(better)).category is evaluate(hand(worse)).category
    assert evaluate(hand(better)).value > evaluate(hand(worse)).value


def test_suits_do_not_count() -> None:
    assert evaluate(hand("Ah Kh Qh Jh 9h")).value == evaluate(hand("Ac Kc Qc Jc 9c")).value
    assert evaluate(hand("Ac Kd Qh Js 9c")).value == evaluate(hand("Ad Kh Qs Jc 9d")).value


@pytest.mark.parametrize("number", [0, 4, 10])
def test_too_few_or_too_many_cards_are_refused(number: int) -> None:
    with pytest.raises(HandError, match=f"not {number}"):
        evaluate(list(FRENCH_CARDS[:number]))


@pytest.mark.parametrize("card", [JOKER, UNREADABLE])
def test_a_card_without_rank_is_refused(card: Card) -> None:
    with pytest.raises(HandError, match="no rank"):
        evaluate([*hand("2c 3c 4c 5c"), card])


def test_words_of_ranks() -> None:
    assert [rank_name(rank) for rank in (1, 2, 10, 14)] == ["ace", "deuce", "ten", "ace"]
    assert rank_name(6, plural=True) == "sixes"
    assert [rank_symbol(rank) for rank in (1, 10, 14)] == ["A", "10", "A"]


def best_of_all_fives(cards: Iterable[Card]) -> int:
    return max(hand_value([card.code for card in five]) for five in itertools.combinations(cards, 5))


@given(st.lists(st.sampled_from(FRENCH_CARDS), min_size=6, max_size=9))
def test_the_best_of_many_cards_is_the_best_of_all_its_fives_with_any_number_of_decks(cards: list[Card]) -> None:
    ranked = evaluate(cards)
    assert ranked.value == best_of_all_fives(cards)
    assert hand_value([card.code for card in ranked.cards]) == ranked.value
    assert not Counter(ranked.cards) - Counter(cards)


@given(st.lists(st.sampled_from(FRENCH_CARDS), min_size=5, max_size=9), st.randoms())
def test_the_sequence_of_the_cards_does_not_count(cards: list[Card], rng: random.Random) -> None:
    mixed = list(cards)
    rng.shuffle(mixed)
    assert evaluate(mixed).value == evaluate(cards).value


def plain_category(cards: Iterable[Card]) -> PokerCategory:
    """The category of five cards of one deck in the plainest way: counting ranks and suits."""
    cards = list(cards)
    ranks = sorted(high_rank(card.rank) for card in cards)
    numbers = sorted(Counter(ranks).values(), reverse=True)
    flush = len({card.suit for card in cards}) == 1
    straight = numbers == [1] * 5 and (ranks[4] - ranks[0] == 4 or ranks == [2, 3, 4, 5, 14])
    if straight and flush:
        return PokerCategory.ROYAL_FLUSH if ranks[0] == 10 else PokerCategory.STRAIGHT_FLUSH
    if flush:
        return PokerCategory.FLUSH
    if straight:
        return PokerCategory.STRAIGHT
    return {
        (4, 1): PokerCategory.FOUR_OF_A_KIND,
        (3, 2): PokerCategory.FULL_HOUSE,
        (3, 1, 1): PokerCategory.THREE_OF_A_KIND,
        (2, 2, 1): PokerCategory.TWO_PAIR,
        (2, 1, 1, 1): PokerCategory.PAIR,
        (1, 1, 1, 1, 1): PokerCategory.HIGH_CARD,
    }[tuple(numbers)]


def test_20_000_random_five_card_hands_have_the_category_that_counting_gives() -> None:
    rng = random.Random(52)
    for _ in range(20_000):
        cards = rng.sample(FRENCH_CARDS, 5)
        assert category_of(hand_value([card.code for card in cards])) is plain_category(cards), cards


def test_100_000_random_five_card_hands_fall_into_the_categories_as_often_as_they_should() -> None:
    rng = random.Random(5)
    codes = [card.code for card in FRENCH_CARDS]
    counted = Counter(category_of(hand_value(rng.sample(codes, 5))) for _ in range(100_000))
    for category, frequency in FREQUENCIES.items():
        share = frequency / ALL_HANDS
        expected = share * 100_000
        assert abs(counted[category] - expected) <= 5 * (expected * (1 - share)) ** 0.5 + 2, category


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_all_2_598_960_five_card_hands_fall_into_the_categories_exactly() -> None:
    values = Counter(hand_value(codes) for codes in itertools.combinations([card.code for card in FRENCH_CARDS], 5))
    counted: Counter[PokerCategory] = Counter()
    for value, number in values.items():
        counted[category_of(value)] += number
    assert dict(counted) == FREQUENCIES
    assert counted.total() == ALL_HANDS
    assert len(values) == DIFFERENT_VALUES


def test_a_value_tells_its_five_ranks() -> None:
    assert ranks_of(evaluate(hand("4h Ks Kd 4s Kc")).value) == (13, 13, 13, 4, 4)
    assert ranks_of(evaluate(hand("Ac 2d 3h 4s 5c")).value) == (5, 4, 3, 2, 1)
    assert describe(evaluate(hand("4h Ks Kd 4s Kc")).value) == "kings full of fours"


def counters_of(cards: int, most: int, rank: int = 0) -> Iterator[int]:
    """Every set of rank digits of so many cards with at most `most` of a rank."""
    if rank == 12:
        if cards <= most:
            yield cards * 10**rank
        return
    for number in range(min(cards, most) + 1):
        for rest in counters_of(cards - number, most, rank + 1):
            yield number * 10**rank + rest


def plain_value(counters: int) -> int:
    """The best hand that the numbers of deuces to aces make when suits do not matter, by looking at one rank after the other."""
    by_number = sorted([(counters // 10 ** (rank - 2) % 10, rank) for rank in range(2, 15)], reverse=True)
    (most, first), (second_most, second) = by_number[:2]
    ranks = sorted([rank for number, rank in by_number for _ in range(number)], reverse=True)

    def of(category: PokerCategory, *made: int) -> int:
        value = CATEGORIES.index(category)
        for rank in [*made, *[rank for rank in ranks if rank not in made]][:5]:
            value = value << 4 | rank
        return value

    if most >= 5:
        return of(PokerCategory.FIVE_OF_A_KIND, *[first] * 5)
    if most == 4:
        return of(PokerCategory.FOUR_OF_A_KIND, *[first] * 4)
    if most == 3 and second_most >= 2:
        second = max(rank for number, rank in by_number[1:] if number >= 2)
        return of(PokerCategory.FULL_HOUSE, *[first] * 3, *[second] * 2)
    held = {*ranks, 1} if 14 in ranks else set(ranks)
    for high in range(14, 4, -1):
        if held.issuperset(range(high - 4, high + 1)):
            return of(PokerCategory.STRAIGHT, *range(high, high - 5, -1))
    if most == 3:
        return of(PokerCategory.THREE_OF_A_KIND, *[first] * 3)
    if second_most == 2:
        return of(PokerCategory.TWO_PAIR, *[first] * 2, *[second] * 2)
    return of(PokerCategory.PAIR, *[first] * 2) if most == 2 else of(PokerCategory.HIGH_CARD)


@pytest.mark.parametrize(("cards", "most"), [(5, 5), (6, 6), (7, 4)])
def test_the_quick_way_on_counters_agrees_with_the_plain_one_for_every_set_of_ranks(cards: int, most: int) -> None:
    for counters in counters_of(cards, most):
        assert poker._quick_value(counters) == plain_value(counters), hex(counters)
