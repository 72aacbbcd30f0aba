"""Brings a table back to where its journal says it is: the fold of its facts from a boundary.

The last boundary would do for the state. The fold begins earlier where the last few hundred entries hold an earlier
one, so that whoever followed the table before a restart goes on from the number that he had.

An outcome is not recorded; it is judged again from the recorded act in the state before it, and the facts applied are
the recorded ones, whatever today's rules say. For the boundary that the fold begins with there is no state before it:
its outcome tells how the table stood after it.
"""

from __future__ import annotations

from typing import Final

import msgspec

from controller.journal.entry import Entry, OpenedEntry
from controller.journal.journal import Journal
from controller.service.engine import Engine
from controller.service.feed import Feed, FeedEntry
from controller.service.lifecycle import LIFE_KINDS
from controller.table.outcome import Outcome
from controller.table.state import TableState

FEED_WANTED: Final = 300
"""Several rounds: a follower that was with the table before a restart misses nothing. Judging them takes 50 ms."""

NANOSECONDS_PER_MS: Final = 1_000_000


def recover(engine: Engine, journal: Journal, feed: Feed) -> TableState:
    """Return the state of a table as its journal has it, and fill its feed.

    Raises:
        ShoedError: an entry cannot be opened, read or folded.
    """
    state = engine.new_state()
    entries = _entries_to_fold(engine.table, journal)
    if entries and entries[0].back:
        feed.begin_after(entries[0].number - 1)
    begun = False
    for entry in entries:
        if entry.kind in LIFE_KINDS:
            continue
        opened = journal.open_entry(entry)
        at_boundary = entry.boundary and not begun
        state = _take_boundary(engine, opened, feed) if at_boundary else _take(engine, state, opened, feed)
        begun = True
    return state


def _entries_to_fold(table: str, journal: Journal) -> list[Entry]:
    recent = journal.last_entries(table, FEED_WANTED)
    for index, entry in enumerate(recent):
        if entry.boundary or entry.back == 0:
            return recent[index:]
    return journal.fold_entries(table)


def _take_boundary(engine: Engine, opened: OpenedEntry, feed: Feed) -> TableState:
    act, facts = engine.decode(opened.entry.body, opened.cards)
    state = engine.fold_boundary(facts)
    outcome = msgspec.structs.replace(engine.view(state), act=opened.entry.kind)
    _note(feed, opened, str(act.by), outcome)
    return state


def _take(engine: Engine, state: TableState, opened: OpenedEntry, feed: Feed) -> TableState:
    act, facts = engine.decode(opened.entry.body, opened.cards)
    outcome = engine.decide(state, act, opened.entry.mono_ns // NANOSECONDS_PER_MS).outcome
    _note(feed, opened, str(act.by), outcome)
    return engine.fold(state, facts)


def _note(feed: Feed, opened: OpenedEntry, by: str, outcome: Outcome) -> None:
    entry = opened.entry
    feed.append(FeedEntry(entry.number, entry.kind, by, entry.wall_ms, outcome))
