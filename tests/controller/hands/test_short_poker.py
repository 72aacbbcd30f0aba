"""The three-card and four-card rankings: exact frequencies of all hands, order, and what does not count."""

import itertools
from collections import Counter
from math import comb

import pytest

from controller.hands.errors import HandError
from controller.hands.four_card_poker import RANKING as FOUR
from controller.hands.four_card_poker import FourCardHand, evaluate_four, four_card_value
from controller.hands.poker import PokerCategory as P
from controller.hands.three_card import RANKING as THREE
from controller.hands.three_card import ThreeCardHand, evaluate_three, three_card_value
from firmware_bridge.cards import FRENCH_CARDS, JOKER, parse_card

CODES = [card.code for card in FRENCH_CARDS]

STRAIGHTS_3, STRAIGHTS_4 = 12, 11
"""A-K-Q down to 3-2-A, and A-K-Q-J down to 4-3-2-A."""

THREE_CARD_NUMBERS = {
    P.STRAIGHT_FLUSH: STRAIGHTS_3 * 4,
    P.THREE_OF_A_KIND: 13 * comb(4, 3),
    P.STRAIGHT: STRAIGHTS_3 * (4**3 - 4),
    P.FLUSH: (comb(13, 3) - STRAIGHTS_3) * 4,
    P.PAIR: 13 * comb(4, 2) * 48,
    P.HIGH_CARD: (comb(13, 3) - STRAIGHTS_3) * (4**3 - 4),
}
FOUR_CARD_NUMBERS = {
    P.FOUR_OF_A_KIND: 13,
    P.STRAIGHT_FLUSH: STRAIGHTS_4 * 4,
    P.THREE_OF_A_KIND: 13 * comb(4, 3) * 48,
    P.FLUSH: (comb(13, 4) - STRAIGHTS_4) * 4,
    P.STRAIGHT: STRAIGHTS_4 * (4**4 - 4),
    P.TWO_PAIR: comb(13, 2) * comb(4, 2) ** 2,
    P.PAIR: 13 * comb(4, 2) * comb(12, 2) * 16,
    P.HIGH_CARD: (comb(13, 4) - STRAIGHTS_4) * (4**4 - 4),
}


def three(text: str) -> ThreeCardHand:
    return evaluate_three([parse_card(name) for name in text.split()])


def four(text: str) -> FourCardHand:
    return evaluate_four([parse_card(name) for name in text.split()])


@pytest.mark.rule("13:69F-20.3(b)")
def test_all_22_100_three_card_hands_have_the_computed_frequencies() -> None:
    counted = Counter(THREE.category_of(three_card_value(hand)) for hand in itertools.combinations(CODES, 3))
    assert counted == THREE_CARD_NUMBERS
    assert sum(counted.values()) == 22_100
    assert [counted[kind] for kind in reversed(THREE.order)] == [48, 52, 720, 1_096, 3_744, 16_440]


@pytest.mark.rule("13:69F-27.3(b)")
def test_all_270_725_four_card_hands_have_the_computed_frequencies() -> None:
    counted = Counter(FOUR.category_of(four_card_value(hand)) for hand in itertools.combinations(CODES, 4))
    assert counted == FOUR_CARD_NUMBERS
    assert sum(counted.values()) == 270_725
    assert [counted[kind] for kind in reversed(FOUR.order)] == [13, 44, 2_496, 2_816, 2_772, 2_808, 82_368, 177_408]


RISING_THREE = [
    "5s 3d 2c", "Qh 9d 4c", "Qh 9d 5c", "Ks 2d 3c", "As 3d 4c", "As Kd Jc",
    "2s 2d 3c", "2s 2d Ac", "As Ad Kc", "5s 3s 2s", "As Ks 2s", "As Ks Js",
    "3s 2d Ac", "4s 3d 2c", "Ks Qd Jc", "As Kd Qc", "2s 2d 2c", "As Ad Ac", "3s 2s As", "4s 3s 2s", "As Ks Qs",
]  # fmt: skip
RISING_FOUR = [
    "6s 4d 3c 2h", "As 5d 3c 4h", "2s 2d 3c 4h", "As Ad Kc Qh", "3s 3d 2c 2h", "As Ad Kc Kh", "4s 3d 2c Ah", "5s 4d 3c 2h", "As Kd Qc Jh",
    "6s 4s 3s 2s", "As Ks Qs Ts", "2s 2d 2c 3h", "2s 2d 2c Ah", "As Ad Ac Kh", "4s 3s 2s As", "As Ks Qs Js", "2s 2d 2c 2h", "As Ad Ac Ah",
]  # fmt: skip


@pytest.mark.rule("13:69F-20.3(c)")
def test_three_card_hands_stand_in_the_order_of_the_rule() -> None:
    values = [three(text).value for text in RISING_THREE]
    assert values == sorted(set(values))


@pytest.mark.rule("13:69F-27.3(b)")
def test_four_card_hands_stand_in_the_order_of_the_rule() -> None:
    values = [four(text).value for text in RISING_FOUR]
    assert values == sorted(set(values))


@pytest.mark.rule("13:69F-20.3(a)")
def test_the_ace_does_not_wrap_around() -> None:
    assert three("Ks Ad 2c").category is P.HIGH_CARD
    assert four("Ks Ad 2c 3h").category is P.HIGH_CARD
    assert four("Qs Ks Ad 2c").category is P.HIGH_CARD


def test_suits_are_equal() -> None:
    assert three("As Kd 9c").value == three("Ah Kc 9s").value
    assert four("As Kd 9c 8c").value == four("Ah Kc 9s 8h").value


@pytest.mark.rule("13:69F-27.3(a)")
def test_a_fifth_and_sixth_card_never_count() -> None:
    player, dealer = four("Ah Kd 9s 8c 3d"), four("Ac Ks 9d 8h 4c 2d")
    assert player.value == dealer.value
    assert dealer.text == "A K 9 8 high"
    assert [card.name for card in dealer.cards] == ["Ac", "Ks", "9d", "8h"]


@pytest.mark.rule("13:69F-27.3(b)")
def test_the_best_four_of_more_is_found_where_kinds_compete() -> None:
    assert four("5h 8h Jh Qh 2c").text == "flush, Q J 8 5"
    assert four("9s 9d 9h Th Jh 2h").text == "three nines", "above the flush of the same cards"
    assert four("9s 9d 9h Th Jc Qs").text == "three nines", "above the straight of the same cards"
    assert four("4s 3s 2s As 5s").text == "straight flush, five high"
    assert four("9c 9d 6s Th 3d Td").text == "tens and nines"


def test_hands_are_told_in_words_and_in_order() -> None:
    assert three("8h 2d 8c").text == "pair of eights"
    assert [card.name for card in three("Ah 2d 3c").cards] == ["3c", "2d", "Ah"]
    assert three("Ah 2d 3c").text == "straight, three high"
    assert three("Qs Ks As").is_mini_royal
    assert not three("3s 2s As").is_mini_royal


@pytest.mark.parametrize(
    ("cards", "plays"), [("Js Td 8c", False), ("Qs 3d 2c", True), ("2s 2d 3c", True), ("As 4d 2c", True), ("7s 5s 2s", True)]
)
def test_the_dealer_of_the_three_card_family_plays_with_queen_high_or_better(cards: str, plays: bool) -> None:
    assert three(cards).is_queen_high_or_better is plays


def test_cards_of_several_decks_are_what_their_ranks_make_them() -> None:
    assert three("8h 8h 8h").category is P.THREE_OF_A_KIND
    assert three("8h 8h 2h").text == "flush, 8 8 2"
    assert four("8h 8h 2h 2h").category is P.FLUSH
    assert four("8h 8h 8h 2h").category is P.THREE_OF_A_KIND


@pytest.mark.parametrize("cards", ["As Kd", "As Kd Qc Jh"])
def test_another_number_of_cards_is_no_three_card_hand(cards: str) -> None:
    with pytest.raises(HandError, match="ranked from 3 cards"):
        three(cards)


@pytest.mark.parametrize("cards", ["As Kd Qc", "As Kd Qc Jh 9h 8h 7h"])
def test_another_number_of_cards_is_no_four_card_hand(cards: str) -> None:
    with pytest.raises(HandError, match="ranked from 4 to 6 cards"):
        four(cards)


def test_a_joker_has_no_rank_in_a_short_hand() -> None:
    with pytest.raises(HandError, match="joker"):
        evaluate_three([*FRENCH_CARDS[:2], JOKER])
    with pytest.raises(HandError, match="no rank"):
        three_card_value([0x11, 0x12, 0])
