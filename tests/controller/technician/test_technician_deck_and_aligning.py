"""A deck file, and what was read laid beside it."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.technician.deal_aligning import lay_beside
from controller.technician.deck_file import read_deck
from controller.technician.errors import TechnicianError
from firmware_bridge.cards import FRENCH_CARDS, JOKER, UNREADABLE, Card, parse_card

DECK = FRENCH_CARDS


def cards(text: str) -> list[Card]:
    return [parse_card(word) for word in text.split()]


def test_a_deck_is_written_as_in_scenarios(tmp_path: Path) -> None:
    file = tmp_path / "deck"
    file.write_text("# the lower half\nAs 2s 10s  # three\n\nTd Jk\n")
    assert read_deck(file) == (*cards("As 2s Ts Td"), JOKER)


@pytest.mark.parametrize(
    ("content", "why"),
    [(b"", "0 cards"), (b"As", "1 cards"), (b"As Ax", "line 1"), (b"As\n?", "line 2"), (b"As cut", "compared"), (b"\xff", "no text")],
)
def test_what_is_no_deck_is_told(tmp_path: Path, content: bytes, why: str) -> None:
    file = tmp_path / "deck"
    file.write_bytes(content)
    with pytest.raises(TechnicianError, match=why):
        read_deck(file)


def test_a_deck_has_its_limits(tmp_path: Path) -> None:
    file = tmp_path / "deck"
    for content, why in (("As " * 649, "649 cards"), ("#" * 70_000, "too long")):
        file.write_text(content)
        with pytest.raises(TechnicianError, match=why):
            read_deck(file)
    with pytest.raises(TechnicianError, match="cannot be read"):
        read_deck(tmp_path / "none")


def test_a_good_deal_is_the_deck() -> None:
    deal = lay_beside(DECK, DECK, 0)
    assert (deal.alike, deal.begins, deal.ends) == (52, 0, 0)
    assert [step.place for step in deal.steps] == list(range(52))


def test_a_wrong_and_an_unread_card_keep_their_places() -> None:
    read = list(DECK)
    read[6], read[30] = read[20], UNREADABLE
    deal = lay_beside(DECK, read, 0)
    assert deal.alike == 50
    assert [(s.place, s.read) for s in deal.steps if s.place is None or s.read is not DECK[s.place]] == [(6, DECK[20]), (30, UNREADABLE)]


def test_two_cards_that_leave_as_one_put_nothing_out_of_step() -> None:
    read = [*DECK[:10], *DECK[11:], DECK[0]]  # 52 readings: the last one is the next deal's first card
    deal = lay_beside(DECK, read, 0)
    assert [(s.place, s.read) for s in deal.steps if s.read is None] == [(10, None)]
    assert (deal.alike, deal.ends) == (52, 1)


def test_a_card_told_twice_is_one_too_many() -> None:
    read = [*DECK[:10], DECK[9], *DECK[10:51]]
    deal = lay_beside(DECK, read, 0)
    assert [s.read for s in deal.steps if s.place is None] == [DECK[9]]
    assert (deal.alike, deal.ends) == (51, 51)


def test_a_cut_deck_begins_elsewhere_and_a_broken_off_one_goes_on() -> None:
    cut = lay_beside(DECK, [*DECK[20:], *DECK[:20]], 0)
    assert (cut.begins, cut.ends, cut.alike) == (20, 20, 52)
    rest = lay_beside(DECK, DECK[31:35], 31)
    assert (rest.begins, rest.ends, rest.alike) == (31, 35, 4)


def test_one_wrong_word_at_the_beginning_moves_nothing() -> None:
    deal = lay_beside(DECK, [DECK[30], DECK[1], DECK[2]], 0)
    assert (deal.begins, deal.alike) == (0, 2)


def test_another_deck_is_hardly_alike() -> None:
    read = list(DECK)
    random.Random(4).shuffle(read)
    assert lay_beside(DECK, read, 0).alike < 26


@given(st.integers(1, 2), st.lists(st.integers(0, 51), max_size=4, unique=True), st.integers(0, 2**32))
def test_every_reading_is_laid_once_whatever_is_wrong_with_it(decks: int, wrong: list[int], seed: int) -> None:
    deck = DECK * decks
    read = list(deck)
    rng = random.Random(seed)
    for place in wrong:
        read[place] = rng.choice([UNREADABLE, *DECK])
    del read[rng.randrange(len(read))]
    deal = lay_beside(deck, read, 0)
    assert [s.index for s in deal.steps if s.read is not None] == list(range(len(read)))
    assert [s.read for s in deal.steps if s.read is not None] == read
    assert deal.alike >= len(read) - len(wrong) - 1
