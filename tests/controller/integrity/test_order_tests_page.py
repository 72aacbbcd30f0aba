"""The page about the order tests states the thresholds and rates that the program really has."""

import re
from pathlib import Path

import pytest

from controller.decks import ONE_DECK, DeckSpec
from controller.integrity.order import RUN_CARDS, false_alarm_bound, neighbour_thresholds
from controller.integrity.patterns import new_deck_windows
from controller.integrity.rates import neighbour_rate_one_deck, run_rate

PAGE = Path(__file__).parents[3] / "docs" / "explanation" / "order-tests.md"
MILLION = 1_000_000


@pytest.fixture(scope="module")
def page() -> str:
    return PAGE.read_text(encoding="utf-8")


def test_the_table_of_thresholds_and_rates_is_what_the_program_computes(page: str) -> None:
    rows = re.findall(r"^\| (\d+) \| (\d+) \| (\d+) \| ([\d.]+) \| ([\d.]+) \|$", page, re.MULTILINE)
    assert [int(row[0]) for row in rows] == [52, 104, 208, 312, 416]
    for cards, *stated in rows:
        spec = DeckSpec(decks=int(cards) // 52)
        thresholds, bound = neighbour_thresholds(spec), false_alarm_bound(spec)
        rates = [f"{rate * MILLION:.1f}" for rate in (bound.new_deck, bound.last_order)]
        assert stated == [str(thresholds[0]), str(thresholds[1]), *rates]


def test_the_numbers_of_the_explanation_are_right(page: str) -> None:
    assert f"{len(new_deck_windows(ONE_DECK, RUN_CARDS)):,} windows" in page
    assert round(run_rate(ONE_DECK, new_deck_windows(ONE_DECK, 7), 7) * MILLION, 1) == 0.2
    assert round(run_rate(ONE_DECK, new_deck_windows(ONE_DECK, 6), 6) * MILLION) == 9
    six = DeckSpec(decks=6)
    assert round(run_rate(six, new_deck_windows(six, 6), 6) * MILLION) == 54
    assert round(neighbour_rate_one_deck(52, 9) * MILLION, 1) == 1.1
    assert round(neighbour_rate_one_deck(52, 8) * MILLION) == 10
