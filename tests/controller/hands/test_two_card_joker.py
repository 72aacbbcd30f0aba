"""Two-card hands with jokers: exact frequencies of all hands, order, and what a joker does not do."""

import itertools
from collections import Counter

import pytest

from controller.hands.errors import HandError
from controller.hands.two_card_joker import JokerHand, JokerHandKind, JokerRanking
from firmware_bridge.cards import FRENCH_CARDS, JOKER, UNREADABLE, parse_card

K = JokerHandKind
RANKING = JokerRanking()


def hand(text: str, ranking: JokerRanking = RANKING) -> JokerHand:
    return ranking.evaluate([parse_card(name) for name in text.split()])


@pytest.mark.parametrize(("ace_low", "neighbours"), [(True, 13), (False, 12)])
def test_all_1_431_hands_of_54_cards_have_the_computed_frequencies(ace_low: bool, neighbours: int) -> None:
    ranking = JokerRanking(ace_low=ace_low)
    counted = Counter(ranking.evaluate(two).kind for two in itertools.combinations([*FRENCH_CARDS, JOKER, JOKER], 2))
    assert counted == {
        K.PAIR_OF_JOKERS: 1,
        K.ROYAL_FLUSH: 4,
        K.STRAIGHT_FLUSH: (neighbours - 1) * 4,
        K.PAIR: 13 * 6 + 2 * 52,
        K.STRAIGHT: neighbours * 12,
        K.FLUSH: (78 - neighbours) * 4,
        K.HIGH_CARD: (78 - neighbours) * 12,
    }
    assert sum(counted.values()) == 1_431


@pytest.mark.rule("13:69F-30")
def test_hands_stand_in_the_order_of_the_sheet() -> None:
    rising = [
        "3h 5d", "Kh Js", "Ah Qd", "3h 5h", "Kh Jh", "Ah Qh", "Ah 2s", "3h 2s", "Ah Ks", "2s 2d", "Ah As",
        "As 2s", "3h 2h", "Kh Qh", "Ah Kh", "Jk Jk",
    ]  # fmt: skip
    values = [hand(text).value for text in rising]
    assert values == sorted(set(values))


def test_the_order_of_pair_straight_and_flush_is_the_callers() -> None:
    ranking = JokerRanking(middle=(K.FLUSH, K.STRAIGHT, K.PAIR))
    assert hand("5h 3h", ranking).value > hand("3h 2s", ranking).value > hand("As Ad", ranking).value > hand("As Qd", ranking).value
    with pytest.raises(HandError, match="each once"):
        JokerRanking(middle=(K.FLUSH, K.FLUSH, K.PAIR))


@pytest.mark.rule("13:69F-30")
def test_a_joker_only_completes_a_pair() -> None:
    assert hand("Jk As").text == "pair of aces"
    assert hand("Jk As").kind is K.PAIR, "no royal flush"
    assert hand("9s Jk").value == hand("9h 9d").value, "a natural pair is no better"
    assert hand("Jk 2c").value < hand("3c 3d").value


@pytest.mark.rule("13:69F-30")
@pytest.mark.parametrize(
    ("cards", "plays"), [("Jh Td", True), ("Js 4h", False), ("Qs 2h", True), ("Jk 2h", True), ("4h 2h", True), ("Td 8c", False)]
)
def test_the_dealer_plays_with_queen_high_or_better(cards: str, plays: bool) -> None:
    assert hand(cards).is_queen_high_or_better is plays


def test_hands_are_told_in_words_with_their_cards_in_order() -> None:
    assert hand("Jk 9s").cards == (parse_card("9s"), JOKER)
    assert [hand(text).text for text in ("Jk Jk", "Ah Kh", "9h Th", "2d As", "4h 9h", "Td Kc")] == [
        "pair of jokers",
        "royal flush",
        "straight flush, ten high",
        "straight, deuce high",
        "flush, 9 4",
        "K 10 high",
    ]


@pytest.mark.parametrize("cards", [[JOKER], [JOKER, JOKER, JOKER], [JOKER, UNREADABLE]])
def test_anything_else_is_no_hand(cards: list[object]) -> None:
    with pytest.raises(HandError):
        RANKING.evaluate(cards)  # type: ignore[arg-type]
