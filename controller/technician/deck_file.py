"""A deck of known order, as a file: the cards in the order in which they will leave, separated by blanks or line ends.

Cards are written as in scenarios (`9h`, `Td`, `Jk`); the first one leaves first. `#` begins a comment. Any number of decks may be written
one after another, and the deck need not be a whole one.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from controller.technician.errors import TechnicianError
from firmware_bridge.cards import CUT_CARD, UNREADABLE, Card, CardTextError, parse_card

CARDS_MAX: Final = 12 * 54
"""The largest shoe of the rules is eight decks; batches of shufflers have up to twelve, with jokers."""
CARDS_MIN: Final = 2
FILE_BYTES_MAX: Final = 1 << 16
"""A dozen decks take 2 kB; with comments, some more."""


def read_deck(path: Path) -> tuple[Card, ...]:
    """Return the cards of a deck file, the first to leave first.

    Raises:
        TechnicianError: the file cannot be read or is no deck.
    """
    try:
        with path.open("rb") as stream:
            content = stream.read(FILE_BYTES_MAX + 1)
    except OSError as error:
        raise TechnicianError("deck-unreadable", f"The deck {path} cannot be read: {error.strerror}.", "Name a deck file.") from error
    if len(content) > FILE_BYTES_MAX:
        raise _no_deck(path, "it is too long")
    try:
        lines = content.decode("utf-8").splitlines()
    except UnicodeDecodeError as error:
        raise _no_deck(path, "it is no text") from error
    cards: list[Card] = []
    for number, line in enumerate(lines, start=1):
        cards += [_card(path, number, word) for word in line.partition("#")[0].split()]
    if not CARDS_MIN <= len(cards) <= CARDS_MAX:
        raise _no_deck(path, f"it has {len(cards)} cards, and a deck has {CARDS_MIN} to {CARDS_MAX}")
    return tuple(cards)


def _card(path: Path, number: int, word: str) -> Card:
    try:
        card = parse_card(word)
    except CardTextError as error:
        raise _no_deck(path, f"line {number}: {error}") from error
    if card in (UNREADABLE, CUT_CARD):
        raise _no_deck(path, f"line {number}: `{word}` is no card that can be compared")
    return card


def _no_deck(path: Path, why: str) -> TechnicianError:
    do = "Write the cards in the order in which they leave, such as `9h Td As`."
    return TechnicianError("bad-deck", f"{path} is no deck: {why}.", do)
