"""Brings a table back to where its journal says it is: the fold of its facts from the last boundary.

The feed is filled on the way, so that whoever followed the table before a restart goes on from the number that he had.
An outcome is not recorded; it is judged again from the recorded act in the state before it, and the facts applied are
the recorded ones, whatever today's rules say.
"""

from __future__ import annotations

from controller.journal.entry import OpenedEntry
from controller.journal.journal import Journal
from controller.service.engine import Engine
from controller.service.feed import Feed, FeedEntry
from controller.service.lifecycle import LIFE_KINDS
from controller.table.state import TableState

NANOSECONDS_PER_MS = 1_000_000


def recover(engine: Engine, journal: Journal, feed: Feed) -> TableState:
    """Return the state of a table as its journal has it, and fill its feed.

    Raises:
        JournalError: an entry cannot be opened or folded.
    """
    state = engine.new_state()
    for entry in journal.fold_entries(engine.table):
        if feed.last == 0 and entry.back:
            feed.begin_after(entry.number - 1)  # the table has older entries, which are not folded
        if entry.kind in LIFE_KINDS:
            continue
        opened = journal.open_entry(entry)
        state = _take(engine, state, opened, feed)
    return state


def _take(engine: Engine, state: TableState, opened: OpenedEntry, feed: Feed) -> TableState:
    entry = opened.entry
    act, facts = engine.decode(entry.body, opened.cards)
    outcome = engine.decide(state, act, entry.mono_ns // NANOSECONDS_PER_MS).outcome
    feed.append(FeedEntry(entry.number, entry.kind, str(act.by), entry.wall_ms, outcome))
    return engine.fold(state, facts)
