"""False-alarm rates of the order tests: computed, checked by hand on small sets, and measured on simulated shuffles."""

import itertools
import math
import random
import sys
from collections import Counter

import pytest

from controller.decks import NEW_DECK_ORDERS, ONE_DECK, SIX_DECKS, DeckSpec, new_deck_codes
from controller.integrity.order import RUN_CARDS, FalseAlarm, OrderWatch, false_alarm_bound, neighbour_thresholds
from controller.integrity.patterns import circle_windows, neighbour_windows, new_deck_windows
from controller.integrity.rates import (
    TARGET,
    most_copies,
    neighbour_rate_decks,
    neighbour_rate_one_deck,
    repeat_run_rate,
    run_rate,
    smallest_threshold,
    window_probability,
)

SPECS = [
    ONE_DECK,
    DeckSpec(jokers=1),
    DeckSpec(jokers=2),
    DeckSpec(decks=2),
    DeckSpec(decks=4),
    SIX_DECKS,
    DeckSpec(decks=8),
    DeckSpec(decks=6, without_ranks=(10,)),
    DeckSpec(decks=8, without_ranks=(10,)),
]
SEED = 20_240_607
SIGMAS = 5


@pytest.mark.requirement("EQ-07")
@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: f"{spec.cards} cards")
def test_the_computed_rate_of_each_order_test_is_at_most_one_in_100_000_shoes(spec: DeckSpec) -> None:
    bound = false_alarm_bound(spec)
    assert 0 < bound.new_deck <= TARGET
    assert 0 < bound.last_order <= TARGET


def test_the_thresholds_that_the_documents_state() -> None:
    assert neighbour_thresholds(ONE_DECK) == (9, 9)
    assert neighbour_thresholds(SIX_DECKS) == (5, 11)
    assert neighbour_thresholds(DeckSpec(decks=8)) == (6, 14)


@pytest.mark.parametrize("cards", [4, 5, 6, 7])
def test_the_rate_of_kept_neighbours_is_exact_on_every_permutation_of_a_small_deck(cards: int) -> None:
    kept = Counter(sum((b - a) % cards == 1 for a, b in itertools.pairwise(order)) for order in itertools.permutations(range(cards)))
    for threshold in range(1, cards):
        exact = sum(number for count, number in kept.items() if count >= threshold) / math.factorial(cards)
        assert neighbour_rate_one_deck(cards, threshold) == pytest.approx(exact, abs=1e-12)


def test_a_window_is_as_probable_as_counting_says() -> None:
    assert window_probability(ONE_DECK, bytes([0x11, 0x12])) == 1 / (52 * 51)
    assert window_probability(ONE_DECK, bytes([0x11, 0x11])) == 0
    assert window_probability(SIX_DECKS, bytes([0x11, 0x11, 0x12])) == 6 * 5 * 6 / (312 * 311 * 310)


def test_the_smallest_threshold_is_the_first_within_the_limit() -> None:
    assert smallest_threshold(lambda count: 1 / 10**count, 1e-3) == 3


def test_windows_are_all_different_and_of_their_length() -> None:
    for spec in SPECS:
        for length in (RUN_CARDS, RUN_CARDS + 1):
            assert {len(window) for window in new_deck_windows(spec, length)} == {length}
    assert circle_windows(b"abc", 4) == ()
    assert circle_windows(b"abc", 2) == (b"ab", b"bc", b"ca")


class Measured:
    """What simulated shuffles show: alarms of the watch itself, and how many neighbours it saw kept."""

    def __init__(self, spec: DeckSpec, shoes: int) -> None:
        self.spec, self.shoes = spec, shoes
        self.alarms = 0
        rng = random.Random(SEED)
        cards = list(new_deck_codes(spec, NEW_DECK_ORDERS[0]))
        rng.shuffle(cards)
        start = OrderWatch.start(spec, bytes(cards))
        self.kept: list[tuple[int, int, int, int]] = []
        for _ in range(shoes):
            rng.shuffle(cards)
            watch = start
            for code in cards:
                watch, finding = watch.advance(code)
                self.alarms += finding is not None
            self.kept.append(tuple(watch.kept >> shift & 0x3FFF for shift in (0, 14, 28, 42)))  # type: ignore[arg-type]

    def share_with(self, kind: int, at_least: int) -> float:
        return sum(kept[kind] >= at_least for kept in self.kept) / self.shoes

    def error(self, rate: float) -> float:
        return SIGMAS * math.sqrt(max(rate * (1 - rate), 1 / self.shoes) / self.shoes)


def check(measured: Measured) -> None:
    spec, shoes = measured.spec, measured.shoes
    expected = shoes * sum_of(false_alarm_bound(spec))
    assert measured.alarms <= expected + SIGMAS * math.sqrt(expected) + 1, f"seed {SEED}"
    new_threshold, last_threshold = neighbour_thresholds(spec)
    for at_least in range(1, max(new_threshold, last_threshold) + 1):
        for kind in range(4):
            if spec.decks == 1:
                bound = neighbour_rate_one_deck(spec.cards, at_least)
            elif kind < 2:
                bound = neighbour_rate_decks(spec, 4 * (len(spec.ranks) - 2), 1, at_least)
            else:
                bound = neighbour_rate_decks(spec, spec.cards, most_copies(spec), at_least)
            share = measured.share_with(kind, at_least)
            assert share <= bound + measured.error(min(bound, 1.0)), (kind, at_least)
            if spec.decks == 1 and kind >= 2:
                assert share >= bound - measured.error(bound), (kind, at_least)


def sum_of(bound: FalseAlarm) -> float:
    return bound.new_deck + bound.last_order


@pytest.mark.requirement("EQ-07")
@pytest.mark.parametrize(("spec", "shoes"), [(ONE_DECK, 5_000), (SIX_DECKS, 1_500)], ids=["52", "312"])
def test_simulated_shuffles_raise_no_more_alarms_than_computed(spec: DeckSpec, shoes: int) -> None:
    check(Measured(spec, shoes))


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.requirement("EQ-07")
@pytest.mark.parametrize("spec", [ONE_DECK, SIX_DECKS], ids=["52", "312"])
def test_200_000_simulated_shuffles_raise_no_more_alarms_than_computed(spec: DeckSpec, capsys: pytest.CaptureFixture[str]) -> None:
    measured = Measured(spec, 200_000)
    with capsys.disabled():
        sys.stdout.write(f"\n{measured.alarms} false alarms in 200,000 shuffles of {spec.cards} cards, seed {SEED}\n")
    check(measured)
    assert measured.alarms <= 200_000 * 2 * TARGET + SIGMAS, f"seed {SEED}"


@pytest.mark.parametrize("spec", [ONE_DECK, SIX_DECKS], ids=["52", "312"])
def test_the_run_rate_is_the_expected_number_of_windows(spec: DeckSpec) -> None:
    """Of three-card windows there are enough to count: their mean number must be the sum that the bound adds up."""
    rng = random.Random(SEED)
    windows = new_deck_windows(spec, 3)
    last = new_deck_codes(spec, NEW_DECK_ORDERS[0])
    cards, shoes = list(last), 600
    rng.shuffle(cards)
    circle = set(circle_windows(bytes(cards), 3))
    seen = repeated = 0
    for _ in range(shoes):
        rng.shuffle(cards)
        groups = [bytes(cards[at : at + 3]) for at in range(spec.cards - 2)]
        seen += sum(group in windows for group in groups)
        repeated += sum(group in circle for group in groups) + sum(group[::-1] in circle for group in groups)
    mean = run_rate(spec, windows, 3)
    assert seen / shoes == pytest.approx(mean, abs=SIGMAS * 2 * math.sqrt(mean / shoes))
    bound = repeat_run_rate(spec, 3)
    assert repeated / shoes <= bound + SIGMAS * 2 * math.sqrt(bound / shoes)
    assert repeated / shoes >= bound / 2


def test_neighbours_of_a_new_deck_lie_inside_the_suits() -> None:
    rising, falling = neighbour_windows(ONE_DECK, 2)
    assert len(rising) == len(falling) == 48
    assert {window[::-1] for window in rising} == falling
