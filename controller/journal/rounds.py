"""Rebuilds a round from the record: every entry in order, hidden cards opened when the round is over (EQ-90).

A round is over when one of its entries has the fact RoundCompleted or RoundVoided: an item of the array `facts` of
the body, named by its key `fact`. Until then its hidden cards stay closed, whoever asks and whatever key is at hand.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import msgspec

from controller.journal.entry import Entry, OpenedEntry
from controller.journal.errors import NoSuchRoundError
from controller.journal.reader import JournalReader

FINAL_FACTS: Final = frozenset({"RoundCompleted", "RoundVoided"})


class _Fact(msgspec.Struct, frozen=True):
    fact: str = ""
    rules_hash: str = ""


class _Body(msgspec.Struct, frozen=True):
    rules_hash: str = ""
    facts: list[_Fact] = []  # msgspec copies an empty default for each object


_BODY_DECODER: Final = msgspec.json.Decoder(_Body)


class RulesInForce(msgspec.Struct, frozen=True):
    """The hash of the rules that judged a round, and the record that says so."""

    rules_hash: str
    number: int


class ShownRound(msgspec.Struct, frozen=True):
    """A round as it may be shown."""

    table: str
    shoe: int
    round: int
    is_over: bool
    cards_shown: bool
    entries: tuple[OpenedEntry, ...]
    rules: RulesInForce | None = None


def show_round(reader: JournalReader, table: str, number: int, shoe: int | None = None) -> ShownRound:
    """Return a round of a table with every entry in order.

    Raises:
        NoSuchRoundError: when the table has none of this number, or one in each of several shoes and `shoe` is None.
        JournalDamagedError: when an entry cannot be read.
    """
    if table not in reader.tables:
        raise NoSuchRoundError(f"The journal {reader.path} has no table {table}.", f"Name one of {', '.join(reader.tables)}.")
    entries = reader.round_entries(table, number, shoe)
    if not entries:
        raise NoSuchRoundError(f"The journal {reader.path} has no round {number} of table {table}.", "Name a round that was played.")
    shoes = sorted({entry.shoe for entry in entries})
    if len(shoes) > 1:
        raise NoSuchRoundError(
            f"Table {table} has a round {number} in each of the shoes {', '.join(map(str, shoes))}.",
            "Name the shoe with `--shoe`.",
        )
    is_over = any(is_final(entry) for entry in entries)
    shown = is_over and reader.can_open
    opened = tuple(reader.open_entry(entry) if shown else OpenedEntry(entry) for entry in entries)
    return ShownRound(table, shoes[0], number, is_over, shown, opened, rules_in_force(reader, entries))


def rules_in_force(reader: JournalReader, entries: Sequence[Entry]) -> RulesInForce | None:
    """Return the last rules hash that was recorded before the end of these entries of one table; None where there is none.

    It is recorded when the daemon starts, when a table opens and with each fresh shoe, so that it is near.
    """
    for entry in reader.walk_back(entries[-1].number):
        body = _body_of(entry)
        hashes = [body.rules_hash, *(fact.rules_hash for fact in body.facts)] if body is not None else []
        found = next((text for text in reversed(hashes) if text), None)
        if found is not None:
            return RulesInForce(found, entry.number)
    return None


def is_final(entry: Entry) -> bool:
    """Tell whether an entry ends its round; a body of another shape does not."""
    body = _body_of(entry)
    return body is not None and any(fact.fact in FINAL_FACTS for fact in body.facts)


def _body_of(entry: Entry) -> _Body | None:
    """What is looked at of an entry; None for a body of another shape."""
    try:
        return _BODY_DECODER.decode(entry.body)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None
