"""Point counts up to twenty-one, and the dealer's drawing rule against exactly enumerated frequencies."""

from __future__ import annotations

import functools
import itertools
from collections import Counter
from collections.abc import Callable
from fractions import Fraction

import pytest

from controller.decks import DeckSpec, census_of
from controller.hands import points
from firmware_bridge.cards import Card, card_from_code, parse_card


def hand(names: str) -> tuple[Card, ...]:
    return tuple(parse_card(name) for name in names.split())


@pytest.mark.rule("13:69F-2.2(b)")
@pytest.mark.parametrize(
    ("names", "total", "soft"),
    [
        ("2c 3d", 5, False), ("9h Th", 19, False), ("Jc Qd", 20, False), ("Ks 7s", 17, False), ("As Kd", 21, True), ("As Ad", 12, True),
        ("As 6d", 17, True), ("As 6d Tc", 17, False), ("As Ad 9c", 21, True), ("As Ad 9c Tc", 21, False), ("Td 6h 6s", 22, False),
        ("As Ac Ad Ah", 14, True), ("5c 5d As", 21, True), ("Kc Qc As", 21, False),
    ],
)  # fmt: skip
def test_an_ace_counts_eleven_unless_that_passes_twenty_one(names: str, total: int, soft: bool) -> None:
    assert points.total_of(hand(names)) == (total, soft)
    assert points.total_of(hand(names)[::-1]) == (total, soft)


@pytest.mark.rule("13:69F-2B.1")
@pytest.mark.parametrize(
    ("names", "is_one"), [("As Kd", True), ("Td Ac", True), ("As 9d", False), ("7c 7d 7h", False), ("As 5d 5c", False)]
)
def test_a_blackjack_is_an_ace_with_a_card_of_ten_as_two_cards(names: str, is_one: bool) -> None:
    assert points.is_blackjack(hand(names)) is is_one


def slow_total(ranks: tuple[int, ...]) -> tuple[int, bool]:
    """Points the slow way: every combination of one and eleven for the aces."""
    rest = sum(min(rank, 10) for rank in ranks if rank != 1)
    totals = {rest + sum(choice) for choice in itertools.product((1, 11), repeat=ranks.count(1))}
    good = [total for total in totals if total <= 21]
    best = max(good) if good else min(totals)
    return best, 1 in ranks and best == rest + ranks.count(1) + 10


@pytest.mark.rule("13:69F-2.2(b)")
def test_every_hand_of_up_to_five_ranks_counts_like_the_slow_way() -> None:
    for count in range(1, 6):
        for ranks in itertools.combinations_with_replacement(range(1, 14), count):
            cards = [card_from_code(0x10 | rank) for rank in ranks]
            assert points.total_of([card for card in cards if card is not None]) == slow_total(ranks), ranks


# ---- the dealer's rule against exactly enumerated frequencies

Draws = Callable[[tuple[int, ...]], bool]


def by_the_product(hits_soft_17: bool) -> Draws:
    """The rule that the table plays by."""

    @functools.cache
    def draws(ranks: tuple[int, ...]) -> bool:
        cards = [card_from_code(0x10 | rank) for rank in ranks]
        return points.dealer_draws([card for card in cards if card is not None], hits_soft_17=hits_soft_17)

    return draws


def by_hand(hits_soft_17: bool) -> Draws:
    """The same rule as the test states it."""

    @functools.cache
    def draws(ranks: tuple[int, ...]) -> bool:
        total, soft = slow_total(ranks)
        return total < 17 or (total == 17 and soft and hits_soft_17)

    return draws


def outcomes(draws: Draws, copies: dict[int, int], decks: int | None) -> dict[str, Fraction]:
    """Exact frequencies of the dealer's final total over all hands. `copies` per rank value of one deck; decks None: without end."""
    found: Counter[str] = Counter()
    weights = {rank: Fraction(number * (decks or 1)) for rank, number in copies.items()}
    layer = {((rank,)): weights[rank] / sum(weights.values()) for rank in weights}
    while layer:
        longer: Counter[tuple[int, ...]] = Counter()
        for ranks, chance in layer.items():
            if len(ranks) >= 2 and not draws(ranks):
                total = slow_total(ranks)[0]
                found["blackjack" if len(ranks) == 2 and total == 21 else "bust" if total > 21 else str(total)] += chance
                continue
            left = sum(weights.values()) - (len(ranks) if decks else 0)
            for rank, weight in weights.items():
                there = weight - (ranks.count(rank) if decks else 0)
                longer[tuple(sorted((*ranks, rank)))] += chance * there / left
        layer = dict(longer)
    return dict(found)


FRENCH = dict.fromkeys(range(1, 10), 4) | {10: 16}
SPANISH = FRENCH | {10: 12}


@functools.cache
def of_the_product(set_of_cards: str, decks: int | None, hits_soft_17: bool) -> dict[str, Fraction]:
    return outcomes(by_the_product(hits_soft_17), SPANISH if set_of_cards == "48" else FRENCH, decks)


@pytest.mark.parametrize(
    ("set_of_cards", "decks", "hits_soft_17"), [("52", None, False), ("52", 8, True), ("48", 6, False), ("48", 8, True)]
)
def test_the_rule_gives_the_enumerated_frequencies_and_they_add_up(set_of_cards: str, decks: int | None, hits_soft_17: bool) -> None:
    ours = of_the_product(set_of_cards, decks, hits_soft_17)
    assert ours == outcomes(by_hand(hits_soft_17), SPANISH if set_of_cards == "48" else FRENCH, decks)
    assert sum(ours.values()) == 1


@pytest.mark.parametrize(
    ("total", "published"),
    [("17", 0.1451), ("18", 0.1395), ("19", 0.1335), ("20", 0.1803), ("21", 0.0727), ("blackjack", 0.0473), ("bust", 0.2816)],
)
def test_without_end_and_standing_on_seventeen_the_frequencies_are_those_published(total: str, published: float) -> None:
    """Published for an infinite deck, rounded to four places."""
    assert float(of_the_product("52", None, False)[total]) == pytest.approx(published, abs=6e-5)


def test_a_dealer_who_hits_soft_seventeen_busts_more_often() -> None:
    stands, hits = (of_the_product("52", 8, rule)["bust"] for rule in (False, True))
    assert float(stands) == pytest.approx(0.2818, abs=2e-4)
    assert float(hits) == pytest.approx(0.2858, abs=2e-4)


@pytest.mark.rule("13:69F-26.2(a)")
@pytest.mark.parametrize("decks", [6, 8])
def test_decks_without_tens_have_forty_eight_cards_each(decks: int) -> None:
    spec = DeckSpec(decks=decks, without_ranks=(10,))
    census = census_of(spec)
    assert spec.cards == 48 * decks == sum(census.values())
    assert all(code & 15 != 10 for code in census)
    assert set(census.values()) == {decks}
