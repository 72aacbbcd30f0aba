"""Brings a table back to where its journal says it is: the fold of its facts from a boundary.

The last boundary would do for the state. The fold begins with an earlier one, so that whoever followed the table before
a restart goes on from the number that he had, and is told the same as before.

An outcome is not recorded; it is judged again from the recorded act in the state before it, and the facts applied are
the recorded ones, whatever today's rules say. For the boundary that the fold begins with there is no state before it,
so it is not told again.
"""

from __future__ import annotations

from typing import Final

from controller.journal.entry import Entry, OpenedEntry
from controller.journal.journal import Journal
from controller.service.engine import Engine
from controller.service.feed import Feed, FeedEntry
from controller.service.lifecycle import LIFE_KINDS
from controller.table.state import TableState

FEED_WANTED: Final = 300
"""Several rounds: a follower that was with the table before a restart misses nothing. Judging them takes 50 ms."""

FOLLOWED_BACK: Final = 50
"""A follower is behind by what came while his last question was under way; two cards a second for some twenty seconds."""

NANOSECONDS_PER_MS: Final = 1_000_000


def recover(engine: Engine, journal: Journal, feed: Feed) -> TableState:
    """Return the state of a table as its journal has it, and fill its feed.

    Raises:
        ShoedError: an entry cannot be opened, read or folded.
    """
    entries = _entries_to_fold(engine.table, journal)
    state = engine.new_state()
    if entries and entries[0].boundary:
        first, *entries = entries
        _, facts = engine.decode(first.body, journal.open_entry(first).cards)
        state = engine.fold_boundary(facts)
        feed.begin_after(first.number)
    for entry in entries:
        if entry.kind not in LIFE_KINDS:
            state = _take(engine, state, journal.open_entry(entry), feed)
    return state


def _entries_to_fold(table: str, journal: Journal) -> list[Entry]:
    """Return the entries from a boundary that followers are past, from the table's first one when there is no such boundary."""
    count = FEED_WANTED
    while True:
        recent = journal.last_entries(table, count)
        for index, entry in enumerate(recent[: max(0, len(recent) - FOLLOWED_BACK)]):
            if entry.boundary:
                return recent[index:]
        if not recent or recent[0].back == 0:
            return recent
        count *= 2


def _take(engine: Engine, state: TableState, opened: OpenedEntry, feed: Feed) -> TableState:
    entry = opened.entry
    act, facts = engine.decode(entry.body, opened.cards)
    outcome = engine.decide(state, act, entry.mono_ns // NANOSECONDS_PER_MS).outcome
    feed.append(FeedEntry(entry.number, entry.kind, str(act.by), entry.wall_ms, outcome))
    return engine.fold(state, facts)
