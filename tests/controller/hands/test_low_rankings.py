"""Low hands, badugi, Omaha and what lies open of a stud hand: by cases, by exact numbers, and against PokerKit."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Callable, Sequence
from math import comb

import pytest

from controller.hands.badugi import evaluate_badugi
from controller.hands.errors import HandError
from controller.hands.low import (
    ace_to_five_value,
    deuce_to_seven_value,
    eight_or_better_value,
    evaluate_ace_to_five,
    evaluate_deuce_to_seven,
    maybe_eight_or_better,
)
from controller.hands.omaha import evaluate_omaha, maybe_omaha_low
from controller.hands.showing import door_high, door_low, showing_high, showing_low
from firmware_bridge.cards import FRENCH_CARDS, JOKER, UNREADABLE, Card, parse_card

SEED = 227
CODES = [card.code for card in FRENCH_CARDS]


def hand(text: str) -> list[Card]:
    return [parse_card(name) for name in text.split()]


def names(cards: Sequence[Card]) -> str:
    return " ".join(card.name for card in cards)


# ---- cases, each from the best hand down

ACE_TO_FIVE = [
    ("5h 4c 3d 2s Ah", "5 4 3 2 A low"),
    ("5h 4h 3h 2h Ah", "5 4 3 2 A low"),
    ("6h 4c 3d 2s Ah", "6 4 3 2 A low"),
    ("8h 7c 6d 5s 4h", "8 7 6 5 4 low"),
    ("Kh Qc Jd Ts 9h", "K Q J 10 9 low"),
    ("Ah Ac 2d 3s 4h", "A A 4 3 2, with aces"),
    ("2h 2c Ad 3s 4h", "2 2 4 3 A, with deuces"),
    ("Ah Ac 2d 2s 3h", "2 2 A A 3, with deuces and aces"),
    ("Ah Ac Ad 2s 3h", "A A A 3 2, with aces"),
    ("Ah Ac Ad 2s 2h", "A A A 2 2, with aces and deuces"),
    ("Ah Ac Ad As 2h", "A A A A 2, with aces"),
]
DEUCE_TO_SEVEN = [
    ("7h 5c 4d 3s 2h", "7 5 4 3 2 low"),
    ("7h 6c 4d 3s 2h", "7 6 4 3 2 low"),
    ("Kh Qc Jd Ts 8h", "K Q J 10 8 low"),
    ("Ah 5c 4d 3s 2h", "A 5 4 3 2 low"),
    ("2h 2c 3d 4s 5h", "2 2 5 4 3, with deuces"),
    ("2h 2c 3d 3s 4h", "3 3 2 2 4, with threes and deuces"),
    ("2h 2c 2d 3s 4h", "2 2 2 4 3, with deuces"),
    ("6h 5c 4d 3s 2h", "straight, 6 5 4 3 2 low"),
    ("Ah Kc Qd Js Th", "straight, A K Q J 10 low"),
    ("7h 5h 4h 3h 2h", "flush, 7 5 4 3 2 low"),
    ("2h 2c 2d 3s 3h", "2 2 2 3 3, with deuces and threes"),
    ("2h 2c 2d 2s 3h", "2 2 2 2 3, with deuces"),
    ("6h 5h 4h 3h 2h", "straight flush, 6 5 4 3 2 low"),
]
BADUGI = [
    ("Ah 2c 3d 4s", "badugi, 4 3 2 A"),
    ("2h 3c 4d 5s", "badugi, 5 4 3 2"),
    ("Th Jc Qd Ks", "badugi, K Q J 10"),
    ("Ah 2c 3d 4d", "three cards, 3 2 A"),
    ("Ah 2c 4d 4h", "three cards, 4 2 A"),
    ("Kh Kc Qd Js", "three cards, K Q J"),
    ("Ah Ac 2h 2c", "two cards, 2 A"),
    ("Ah Ac Ad 2d", "two cards, 2 A"),
    ("Kh Kc Kd Qd", "two cards, K Q"),
    ("Ah 2h 3h 4h", "one card, A"),
    ("Kh Kc Kd Ks", "one card, K"),
]


@pytest.mark.parametrize(("ranked", "cases"), [(evaluate_ace_to_five, ACE_TO_FIVE), (evaluate_deuce_to_seven, DEUCE_TO_SEVEN)])
def test_low_hands_stand_in_this_order_and_are_told_in_words(ranked: Callable[[list[Card]], object], cases: list[tuple[str, str]]) -> None:
    hands = [ranked(hand(text)) for text, _ in cases]
    values = [item.value for item in hands]  # type: ignore[attr-defined]
    assert values == sorted(values, reverse=True)
    assert len(set(values)) == len({words for _, words in cases})
    assert [item.text for item in hands] == [words for _, words in cases]  # type: ignore[attr-defined]


def test_badugi_hands_stand_in_this_order_and_are_told_in_words() -> None:
    hands = [evaluate_badugi(hand(text)) for text, _ in BADUGI]
    values = [item.value for item in hands]
    assert values == sorted(values, reverse=True)
    assert [item.text for item in hands] == [words for _, words in BADUGI]


def test_the_best_low_of_seven_cards_is_found() -> None:
    low = evaluate_ace_to_five(hand("Ah Ad 2c 3d Kh 8s 7c"))
    assert (names(low.cards), low.text) == ("8s 7c 3d 2c Ah", "8 7 3 2 A low")
    paired = evaluate_ace_to_five(hand("Ah Ad 2c 2d 3h 3s 4c"))
    assert paired.text == "A A 4 3 2, with aces"


def test_eight_or_better_takes_five_unpaired_cards_of_eight_and_lower() -> None:
    low = maybe_eight_or_better(hand("8h 7c 5d 3s 2h Kd Ks"))
    assert low is not None
    assert low.text == "8 7 5 3 2 low"
    assert maybe_eight_or_better(hand("9h 7c 5d 3s 2h Kd Ks")) is None
    assert maybe_eight_or_better(hand("8h 8c 5d 3s 2h Kd Ks")) is None
    assert eight_or_better_value([parse_card(name).code for name in ("Ah", "2h", "3h", "4h", "5h")]) > low.value


def test_omaha_takes_exactly_two_own_cards_and_three_of_the_board() -> None:
    board = hand("As Qs Js Ts 8s")
    assert evaluate_omaha(hand("Ah Kc 2d 3d"), board).text == "straight, ace high", "four spades on the board are no flush"
    assert evaluate_omaha(hand("9s 2s Ah Ad"), board).text == "flush, A Q J 9 2"
    assert evaluate_omaha(hand("2c 2d 2h 3c"), hand("Ah Kd Qs 9c 8d")).text == "pair of deuces", "three of one's own are two"
    low = maybe_omaha_low(hand("Ah Kc 2d Kd"), hand("3s 4h 8d Kh Ts"))
    assert low is not None
    assert low.text == "8 4 3 2 A low"
    assert maybe_omaha_low(hand("Ah 2c 3d 4d"), hand("5s Kh Qd Jc 6s")) is None, "two low cards on the board are too few"


def test_showing_hands_rank_pairs_and_ranks_alone() -> None:
    rising = ["7h 5c", "9h 8h", "Kh 2c", "Ah 2d", "2h 2c", "Ah Ac", "Kh Kc 2d 2s", "3h 3c 3d", "2h 2c 2d 2s"]
    assert [showing_high(hand(text)) for text in rising] == sorted(showing_high(hand(text)) for text in rising)
    assert showing_high(hand("9h 8h 7h 6h")) < showing_high(hand("Th 2c 3d 4s")), "no straights and flushes before five cards"
    assert showing_low(hand("Ah 2c")) < showing_low(hand("3h 2c")) < showing_low(hand("Kh Ac")) < showing_low(hand("Ah Ac"))
    assert showing_high([UNREADABLE, *hand("9h")]) == showing_high(hand("9h"))


def test_suits_decide_between_single_up_cards_alone() -> None:
    assert (
        door_high(hand("4c")[0]) < door_high(hand("4d")[0]) < door_high(hand("4h")[0]) < door_high(hand("4s")[0]) < door_high(hand("5c")[0])
    )
    assert door_high(hand("Ac")[0]) > door_high(hand("Ks")[0])
    assert door_low(hand("Ks")[0]) > door_low(hand("Kc")[0]) > door_low(hand("As")[0])


@pytest.mark.parametrize(
    "ranked",
    [
        lambda: evaluate_ace_to_five(hand("Ah 2h 3h 4h")),
        lambda: evaluate_deuce_to_seven(hand("Ah 2h 3h 4h 5h 6h")),
        lambda: evaluate_ace_to_five([*hand("Ah 2h 3h 4h"), JOKER]),
        lambda: evaluate_badugi(hand("Ah 2h 3h")),
        lambda: evaluate_badugi([*hand("Ah 2h 3h"), UNREADABLE]),
        lambda: evaluate_omaha(hand("Ah"), hand("2c 3c 4c 5c 6c")),
        lambda: evaluate_omaha(hand("Ah Kh"), hand("2c 3c 4c")),
    ],
)
def test_other_cards_are_no_hand(ranked: Callable[[], object]) -> None:
    with pytest.raises(HandError):
        ranked()


# ---- exact numbers


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_all_five_card_lows_have_the_computed_frequencies() -> None:
    hands = list(itertools.combinations(CODES, 5))
    unpaired = comb(13, 5) * 4**5
    ace_low = Counter(map(ace_to_five_value, hands))
    assert ace_low.total() == comb(52, 5)
    assert sum(number for value, number in ace_low.items() if value >= ace_to_five_value(CODES[8:13])) == unpaired
    assert sum(eight_or_better_value(codes) > 0 for codes in hands) == comb(8, 5) * 4**5
    deuce = Counter(map(deuce_to_seven_value, hands))
    assert len(deuce) == 7_462, "as many as in the high ranking"
    no_pair_nor_straight_nor_flush = (comb(13, 5) - 9) * (4**5 - 4)
    assert (
        sum(number for value, number in deuce.items() if value > deuce_to_seven_value(_codes("2h 2c 3d 4s 5h")))
        == no_pair_nor_straight_nor_flush
    )


def _codes(text: str) -> list[int]:
    return [card.code for card in hand(text)]


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_all_270_725_badugi_hands_have_the_computed_frequencies() -> None:
    counted = Counter(len(evaluate_badugi(cards).cards) for cards in itertools.combinations(FRENCH_CARDS, 4))
    assert counted.total() == comb(52, 4)
    assert counted[4] == 13 * 12 * 11 * 10
    assert counted[1] == 4 * comb(13, 4) + 13


# ---- PokerKit

Values = Callable[[list[Card]], int]


def verify_same_order(ours: list[int], theirs: list[int]) -> None:
    pairs = sorted(set(zip(ours, theirs, strict=True)))
    assert len({one for one, _ in pairs}) == len(pairs), f"seed {SEED}"
    assert all(a[1] < b[1] for a, b in itertools.pairwise(pairs)), f"seed {SEED}"


RANKINGS: list[tuple[str, int, Values]] = [
    ("RegularLowHand", 5, lambda cards: ace_to_five_value([card.code for card in cards])),
    ("RegularLowHand", 7, lambda cards: ace_to_five_value([card.code for card in cards])),
    ("StandardLowHand", 5, lambda cards: deuce_to_seven_value([card.code for card in cards])),
    ("BadugiHand", 4, lambda cards: evaluate_badugi(cards).value),
]


def compare(kind: str, size: int, ours: Values, number: int) -> None:
    pokerkit = pytest.importorskip("pokerkit")
    rng = random.Random(SEED)
    hands = [rng.sample(FRENCH_CARDS, size) for _ in range(number)]
    ranked = getattr(pokerkit, kind)
    theirs = [-ranked.from_game("".join(card.name for card in cards)).entry.index for cards in hands]
    verify_same_order([ours(cards) for cards in hands], theirs)


@pytest.mark.parametrize(("kind", "size", "ours"), RANKINGS)
def test_low_rankings_have_the_same_order_as_pokerkit(kind: str, size: int, ours: Values) -> None:
    compare(kind, size, ours, 400)


@pytest.mark.slow
@pytest.mark.timeout(14_400)
@pytest.mark.parametrize(("kind", "size", "ours"), RANKINGS)
def test_low_rankings_have_the_same_order_as_pokerkit_on_a_million_hands(kind: str, size: int, ours: Values) -> None:
    compare(kind, size, ours, 1_000_000)


def test_omaha_both_ways_has_the_same_order_as_pokerkit() -> None:
    pokerkit = pytest.importorskip("pokerkit")
    rng = random.Random(SEED)
    high, low = [], []
    for _ in range(60):
        cards = rng.sample(FRENCH_CARDS, 9)
        own, board = cards[:4], cards[4:]
        texts = "".join(card.name for card in own), "".join(card.name for card in board)
        high.append((evaluate_omaha(own, board).value, pokerkit.OmahaHoldemHand.from_game(*texts).entry.index))
        ours, theirs = maybe_omaha_low(own, board), pokerkit.OmahaEightOrBetterLowHand.from_game_or_none(*texts)
        assert (ours is None) == (theirs is None), texts
        if ours is not None:
            low.append((ours.value, -theirs.entry.index))
    for pairs in (high, low):
        verify_same_order([one for one, _ in pairs], [two for _, two in pairs])
