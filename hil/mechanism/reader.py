"""The reader: what it makes of a card that passes, and how it counts the cards of an open shoe."""

from __future__ import annotations

import dataclasses
import random
from collections import Counter
from collections.abc import Mapping

from firmware_bridge.cards import JOKER, UNREADABLE, Card
from firmware_bridge.events import CardFlag
from hil.mechanism.cards import PhysicalCard
from hil.mechanism.options import ScriptedCard

GOOD_CONFIDENCE = 98
POOR_CONFIDENCE = 61
"""A reader that misreads is rarely sure of it."""

READER_FAULTS = ("misread", "wrong-read", "double-feed", "face-up", "foreign-back", "jam", "lid", "power-loss")
"""Faults of the vocabulary that have one chance at each card pulled from the stack."""


@dataclasses.dataclass(slots=True)
class Shoe:
    """An open shoe; survives loss of power."""

    shoe_id: bytes
    decks: int
    back: int
    """Back colour by its number on the wire, 0 for any."""
    loaded: int
    """Cards inside at its opening."""
    position: int = 0
    """Cards that left, burned and out of flow too, never a cutting card."""
    copies: Counter[Card] = dataclasses.field(default_factory=Counter)

    def count(self, seen: Card, moved: int) -> bool:
        """Count a card that left; say whether it is one copy more than the shoe holds."""
        self.position += moved
        if seen is UNREADABLE or seen is JOKER:
            return False
        self.copies[seen] += 1
        return self.copies[seen] > self.decks

    def take_back(self, card: PhysicalCard) -> None:
        """The card that left last is inside again."""
        self.position -= 1
        if card.face is not None and self.copies[card.face] > 0:
            self.copies[card.face] -= 1


def weakness(card: PhysicalCard, weak: Mapping[Card, float], rng: random.Random) -> frozenset[str]:
    """Return what befalls a card that the reader makes out badly."""
    rate = weak.get(card.face, 0.0) if card.face is not None else 0.0
    if not rate or rng.random() >= rate:
        return frozenset()
    return frozenset({rng.choice(("misread", "wrong-read"))})


def see_card(card: PhysicalCard, script: ScriptedCard | None, struck: frozenset[str], threshold: int = 0) -> tuple[Card, int]:
    """Return what the reader reports and how sure it is (0 to 100); below the threshold it reports nothing."""
    seen, confidence = _make_out(card, script, struck)
    return (seen, confidence) if confidence >= threshold else (UNREADABLE, 0)


def _make_out(card: PhysicalCard, script: ScriptedCard | None, struck: frozenset[str]) -> tuple[Card, int]:
    if card.face is None or "misread" in struck or (script is not None and script.unreadable):
        return UNREADABLE, 0
    if script is not None and script.reads_as is not None:
        return script.reads_as, POOR_CONFIDENCE
    if "wrong-read" in struck:
        rank = 1 if card.face is JOKER else card.face.rank
        return Card((card.face.suit % 4 + 1) << 4 | rank), POOR_CONFIDENCE
    return card.face, GOOD_CONFIDENCE


def flags_of(card: PhysicalCard, expected_back: str) -> CardFlag:
    """Return what the reader sees beside the face."""
    flags = CardFlag.FACE_UP if card.face_up else CardFlag.NONE
    return flags if card.back == expected_back else flags | CardFlag.BACK_MISMATCH
