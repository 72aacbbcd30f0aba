"""The semi-wild joker: an ace, or what completes a straight or a flush; five-card and four-card orders; hands against one another."""

from __future__ import annotations

import itertools
import random
from collections import Counter

import pytest

from controller.hands.errors import HandError
from controller.hands.four_card_poker import evaluate_four
from controller.hands.poker import PokerCategory, evaluate
from controller.hands.semi_wild import COMPLETE, FIVE_CARD_ORDER, FOUR_CARD_ORDER, LowStraight, compare_ranks, rank_hand
from firmware_bridge.cards import FRENCH_CARDS, JOKER, UNREADABLE, Card, parse_card

SEED = 11_031
HANDS = 1_500
FOUR_CARD_NUMBERS = {
    "four-of-a-kind": 13, "royal-flush": 4, "straight-flush": 40, "flush": 2_816, "straight": 2_772, "three-of-a-kind": 2_496,
    "two-pair": 2_808, "pair": 82_368, "high-card": 177_408,
}  # fmt: skip
"""Of all 270,725 hands of four: 13 ranks of four, 11 runs in each of four suits (one of them royal), 4 x C(13,4) of one suit less runs."""


def cards(names: str) -> tuple[Card, ...]:
    return tuple(map(parse_card, names.split()))


FALLING_FIVE = (
    "As Ac Ad Ah Jk", "Ts Js Qs Ks Jk", "As 2s 3s 4s Jk", "9h Th Jh Qh Kh", "5d 6d Jk 8d 9d", "2s 3s 4s 5s 6s", "As Ac Ad Jk Ks",
    "2s 2d 2c 2h 3d", "As Ad Jk Ks Kd", "Ks Kd Kc As Jk", "2s 2d 2c 3h 3d", "As Jk Qs Js 9s", "Ks 9s 5s 3s 2s", "Ts Jd Qs Kd Jk",
    "As 2d 3s 4d Jk", "9s Td Js Qd Kh", "2s 3d 4s 5d 6h", "As Ad Jk 7c 2h", "Ks Kd Kc 7c 2h", "As Ad Ks Kd 2c", "As Jk Ks Kd 2c",
    "Ks Kd Qs Qd 2c", "As Jk 9d 7c 2h", "Ks Kd 9d 7c 2h", "Jk Kd 9d 7c 2h", "Ks Qd 9d 7c 2h",
)  # fmt: skip
EQUAL_FIVE = {"As Ad Ks Kd 2c": "As Jk Ks Kd 2c", "As Ad Jk Ks Kd": "As Ad Ac Ks Kd"}


def test_five_card_hands_stand_in_this_order() -> None:
    values = [rank_hand(cards(hand)).value for hand in FALLING_FIVE]
    for (one, two), (first, second) in zip(itertools.pairwise(values), itertools.pairwise(FALLING_FIVE), strict=True):
        assert one == two if EQUAL_FIVE.get(first) == second else one > two, f"{first} stands above {second}"


@pytest.mark.rule("house:low_straight")
def test_four_card_hands_stand_in_this_order() -> None:
    falling = (
        "As Ad Ac Jk", "2s 2d 2c 2h", "As Ks Qs Jk", "Ks Qs Js Ts", "As 2s 3s 4s", "As Ks Qs 2s", "As Kd Qs Jd", "Ks Qd Js Jk",
        "2s 3d 4s 5d", "As 2d 3s 4d", "As Ad Jk 2d", "2s 2d 2c Ah", "As Jk 6s 6h", "Ks Kd Qs Qd", "Jk As 9d 2c", "2s 2d Ah Kh",
        "Jk Kd 9s 7d",
    )  # fmt: skip
    values = [rank_hand(cards(hand), LowStraight.LOWEST).value for hand in falling]
    for (one, two), (first, second) in zip(itertools.pairwise(values), itertools.pairwise(falling), strict=True):
        assert one == two if first == "As Kd Qs Jd" else one > two, f"{first} stands above {second}"


@pytest.mark.parametrize(("hand", "second", "lowest"), [("As 2d 3s 4d 5h", 14, 5), ("As 2d 3s 4d", 14, 4), ("As Jk 3s 4d 5h", 14, 5)])
def test_the_straight_with_a_low_ace_stands_where_the_house_puts_it(hand: str, second: int, lowest: int) -> None:
    held = cards(hand)
    king_high, six_high = ("9s Td Js Qd Kh", "2s 3d 4s 5d 6h") if len(held) == 5 else ("Td Js Qd Kh", "2s 3d 4s 5d")
    assert rank_hand(held, LowStraight.SECOND).value > rank_hand(cards(king_high)).value
    assert rank_hand(held, LowStraight.LOWEST).value < rank_hand(cards(six_high), LowStraight.LOWEST).value
    assert {second, lowest} == {rank_hand(held, place).value & 15 for place in LowStraight}


def test_without_a_joker_five_cards_stand_as_in_poker_but_for_the_low_straight() -> None:
    rng = random.Random(SEED)
    wheel = {14, 2, 3, 4, 5}
    ranked = []
    for _ in range(HANDS):
        held = rng.sample(FRENCH_CARDS, 5)
        if {14 if card.rank == 1 else card.rank for card in held} != wheel:
            ranked.append((evaluate(held).value, rank_hand(held).value))
            assert evaluate(held).category is rank_hand(held).category
            assert rank_hand(held, LowStraight.LOWEST).value == rank_hand(held).value or rank_hand(held).category in COMPLETE
    ranked.sort()
    for (poker, ours), (poker_next, ours_next) in itertools.pairwise(ranked):
        assert (ours == ours_next) if poker == poker_next else (ours < ours_next), f"seed {SEED}"


@pytest.mark.parametrize("size", [4, 5])
def test_the_joker_is_the_best_card_that_it_may_be(size: int) -> None:
    rng = random.Random(SEED + size)
    for _ in range(HANDS // 5):
        held = rng.sample(FRENCH_CARDS, size - 1)
        as_other = [rank_hand([*held, card]) for card in FRENCH_CARDS if card not in held]
        as_ace = [rank_hand([*held, card]) for card in FRENCH_CARDS if card.rank == 1 and card not in held]
        best = max(hand.value for hand in [*as_ace, *(hand for hand in as_other if hand.category in COMPLETE)])
        assert rank_hand([*held, JOKER]).value == best, f"seed {SEED + size}: {[card.name for card in held]}"


@pytest.mark.slow
def test_all_four_card_hands_have_the_numbers_that_can_be_counted() -> None:
    numbers = Counter(rank_hand(held).category.value for held in itertools.combinations(FRENCH_CARDS, 4))
    assert dict(numbers) == FOUR_CARD_NUMBERS


def test_four_cards_are_of_the_kinds_that_four_card_poker_has_in_another_order() -> None:
    rng = random.Random(SEED)
    for _ in range(HANDS):
        held = rng.sample(FRENCH_CARDS, 4)
        other, ours = evaluate_four(held).category, rank_hand(held).category
        assert ours is other or (ours is PokerCategory.ROYAL_FLUSH and other is PokerCategory.STRAIGHT_FLUSH)
    assert rank_hand(cards("2s 2d 2c Ah")).value < rank_hand(cards("2s 3d 4s 5d")).value, "not so in four-card poker"
    assert FOUR_CARD_ORDER.index(PokerCategory.FOUR_OF_A_KIND) == len(FOUR_CARD_ORDER) - 1
    assert FIVE_CARD_ORDER[-1] is PokerCategory.FIVE_OF_A_KIND


def test_a_joker_among_one_or_two_cards_is_an_ace_and_completes_nothing() -> None:
    assert rank_hand(cards("Jk Kc")).text == "A K high"
    assert rank_hand(cards("Jk Ac")).text == "pair of aces"
    assert rank_hand(cards("Jk")).value == rank_hand(cards("As")).value
    assert rank_hand(cards("9s 8s")).category is PokerCategory.HIGH_CARD
    assert rank_hand(cards("2s 2d")).value > rank_hand(cards("As Kd")).value


@pytest.mark.parametrize(
    ("higher", "lower", "compared"),
    [
        ("As Ad 9c 7d 2h", "Kc Kd", 1), ("Kc Kd 9c 7d 2h", "As Ad", -1), ("Ks Kh 9c 7d 2h", "Kc Kd", 0), ("As 9d 7c 4d 2h", "Kc Qd", 1),
        ("Ks 9d 7c 4d 2h", "Kc Qd", -1), ("Ks Qh 7c 4d 2h", "Kc Qd", 0), ("2s 2d 3c 3d 9h", "As Ad", 1), ("2s 3s 4s 5s 7s", "As Ad", 1),
        ("2s 2d", "Ah", 1), ("As Kd", "Ah", 0), ("Qs Jd", "Kh", -1), ("As Kd Qc 9h", "Ah Qd", 1), ("9s 9d 8c 2h", "Ts Td", -1),
    ],
)  # fmt: skip
def test_hands_of_one_seat_are_compared_as_far_as_the_smaller_one_reaches(higher: str, lower: str, compared: int) -> None:
    assert compare_ranks(rank_hand(cards(higher)), rank_hand(cards(lower))) == compared


def test_what_cannot_be_ranked_is_refused() -> None:
    for hand in ("", "As Ks Qs", "As Ks Qs Js Ts 9s"):
        with pytest.raises(HandError, match="one, two, four or five"):
            rank_hand(cards(hand))
    with pytest.raises(HandError, match="unreadable"):
        rank_hand([UNREADABLE, *cards("As Ks Qs Js")])


def test_a_second_joker_that_cannot_be_does_no_harm() -> None:
    assert rank_hand([JOKER, JOKER, *cards("As Ks Qs")]).text == "three aces"


@pytest.mark.parametrize(
    ("hand", "text"),
    [
        ("As Ac Ad Ah Jk", "five aces"), ("Ts Js Qs Ks Jk", "royal flush"), ("As 2s 3s 4s Jk", "straight flush, five high"),
        ("2s 2d 2c 2h 3d", "four deuces"), ("2s 2d 2c 3h 3d", "deuces full of threes"), ("As Jk Qs Js 9s", "flush, A K Q J 9"),
        ("Ks Kd Qs Qd 2c", "kings and queens"), ("6s 6d 6c 7c 2h", "three sixes"), ("Ks Qd 9d 7c 2h", "K Q 9 7 2 high"),
    ],
)  # fmt: skip
def test_hands_have_words(hand: str, text: str) -> None:
    assert rank_hand(cards(hand)).text == text
