"""What a line told of another's judgement, beside what the cards gave: read out of the record, each with the entry that has it.

Such facts are named `HostCompared` in the body of an entry. They hold no card.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import msgspec

from controller.journal.reader import JournalReader

COMPARED: Final = "HostCompared"


class _Fact(msgspec.Struct, frozen=True):
    fact: str = ""
    what: str = ""
    told: str = ""
    found: str = ""
    agrees: bool = False


class _Body(msgspec.Struct, frozen=True):
    facts: list[_Fact] = []  # msgspec copies an empty default for each object


_BODY_DECODER: Final = msgspec.json.Decoder(_Body)


class Compared(msgspec.Struct, frozen=True):
    """One comparison. `found` is empty where nothing could be judged."""

    table: str
    entry: int
    wall_ms: int
    shoe: int
    round: int
    what: str
    told: str
    found: str
    agrees: bool


def read_compared(reader: JournalReader, table: str | None) -> Iterator[Compared]:
    """Return all comparisons in order, of one table or of all."""
    for entry in reader.read_entries(table):
        for fact in _BODY_DECODER.decode(entry.body).facts:
            if fact.fact == COMPARED:
                place = (entry.table, entry.number, entry.wall_ms, entry.shoe, entry.round)
                yield Compared(*place, fact.what, fact.told, fact.found, fact.agrees)
