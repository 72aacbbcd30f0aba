"""After a stop the table is what its journal says, and old acts can be judged again under today's rules."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from controller.dealing.procedure import build_procedure
from controller.games import find_game
from controller.journal.clock import SystemClock
from controller.journal.entry import EntryDraft, OpenedEntry
from controller.journal.journal import Journal, open_journal
from controller.journal.keys import JournalKeys, create_keys
from controller.service.config import TableConfig
from controller.service.engine import Engine
from controller.service.feed import Feed
from controller.service.lifecycle import draft_started, draft_stopped
from controller.service.logs import LogFile, make_logger
from controller.service.metrics import Metrics
from controller.service.recovery import recover
from controller.service.replay import rejudge
from controller.service.table_task import TableTask
from controller.table.acts import By
from controller.table.parse import parse_act, parse_by

CONFIG = TableConfig(id="T1", game="colorado-hold-em-poker", method="manual-shoe", house={"stub_count_every": 3})
CARDS = ["9h", "Kd", "2c", "Td", "3s", "As"]


class Store:
    """A journal file with its keys, opened anew by each `open`."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "journal.db"
        self.keys: JournalKeys = create_keys(folder / "keys.json")
        self.engine = Engine("T1", build_procedure(find_game(CONFIG.game), CONFIG.method, {"stub_count_every": 3}))

    def open(self) -> Journal:
        return open_journal(
            self.path,
            tables=["T1"],
            seal_key=self.keys.seal_key,
            signing_key=self.keys.signing_key,
            clock=SystemClock(),
        )

    def started(self, journal: Journal, state_from: Feed | None = None) -> None:
        state = self.engine.new_state()
        journal.append_now(draft_started(self.engine, CONFIG, state, "0.1", "ab" * 32))


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    return Store(tmp_path)


async def play(store: Store, journal: Journal, acts: list[tuple[str, object, str]]) -> TableTask:
    feed = Feed()
    state = recover(store.engine, journal, feed)
    task = TableTask(
        store.engine,
        state,
        journal,
        feed,
        metrics=Metrics(),
        logger=make_logger(LogFile(None), "error", pretty=False),
        clock=lambda: 5.0,
    )
    running = asyncio.create_task(task.run())
    for key, value, by in acts:
        answer = await task.ask(parse_act(key, value, parse_by(by)))
        assert answer.entry is not None, answer
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    return task


OPENING: list[tuple[str, object, str]] = [
    ("open", True, "supervisor:S1"),
    ("load", {"decks": 1, "cards": 52}, "device:shoe"),
    ("shuffle", {"mode": "random", "counted": 52}, "device:shoe"),
    ("wager", {"seat": 1, "ante": 10}, "dealer:D1"),
    ("close_bets", True, "dealer:D1"),
]
DEAL: list[tuple[str, object, str]] = [("card", card, "device:shoe") for card in CARDS]


@pytest.mark.requirement("EQ-96", "T-28")
@pytest.mark.parametrize("cut", range(len(OPENING) + len(DEAL) + 1))
async def test_a_table_is_rebuilt_after_a_stop_at_any_entry(store: Store, cut: int) -> None:
    acts = OPENING + DEAL
    journal = store.open()
    store.started(journal)
    before = await play(store, journal, acts[:cut])
    await journal.aclose()
    journal = store.open()
    store.started(journal)
    after = await play(store, journal, acts[cut:])
    assert [entry.act for entry in after.feed.after(1)] == [key for key, _, _ in acts]
    assert before.feed.after(1) == after.feed.after(1)[:cut]
    await journal.aclose()
    journal = store.open()
    feed = Feed()
    assert recover(store.engine, journal, feed) == after.state
    assert feed.after(1) == after.feed.after(1)
    await journal.aclose()


def opened(journal: Journal) -> list[OpenedEntry]:
    return [journal.open_entry(entry) for entry in journal.read_entries("T1")]


async def test_old_acts_are_judged_the_same_under_the_same_rules(store: Store) -> None:
    journal = store.open()
    store.started(journal)
    task = await play(store, journal, OPENING + DEAL)
    journal.append_now(draft_stopped(store.engine, task.state))
    assert rejudge(opened(journal)) == []
    await journal.aclose()


async def test_every_verdict_that_differs_is_one_line_without_a_card(store: Store) -> None:
    journal = store.open()
    store.started(journal)
    task = await play(store, journal, OPENING)
    act = parse_act("card", "9h", By("device", "shoe"))
    facts = store.engine.decide(task.state, act, 0).facts
    other = tuple(msgspec.structs.replace(fact, to="seat 4") if type(fact).__name__ == "CardDealt" else fact for fact in facts)
    body, cards = store.engine.encode(act, other)
    number = journal.append_now(EntryDraft("T1", task.state.shoe, 1, "card", body, cards))
    body, cards = store.engine.encode(act, ())
    journal.append_now(EntryDraft("T1", task.state.shoe, 1, "card", body, cards))
    lines = rejudge(opened(journal))
    assert lines[0] == f"entry {number} (card): the same facts, and other values in CardDealt.to"
    assert lines[1].startswith(f"entry {number + 1} (card): recorded nothing (refused); today ")
    assert "9h" not in "".join(lines)
    await journal.aclose()


async def test_a_record_without_its_rules_is_not_judged(store: Store) -> None:
    journal = store.open()
    await play(store, journal, OPENING[:1])
    (line,) = rejudge(opened(journal))
    assert "not judged" in line
    await journal.aclose()


async def test_changed_rules_are_told(store: Store) -> None:
    journal = store.open()
    state = store.engine.new_state()
    draft = draft_started(store.engine, CONFIG, state, "0.1", "ab" * 32)
    body = draft.body.replace(store.engine.procedure.rules_hash.encode(), b"0" * 64)
    journal.append_now(msgspec.structs.replace(draft, body=body))
    (line,) = rejudge(opened(journal))
    assert "have changed" in line
    await journal.aclose()


@pytest.mark.requirement("EQ-96")
async def test_recovery_begins_at_a_boundary_and_comes_to_the_same_state(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    journal = store.open()
    store.started(journal)
    rounds = [*OPENING[:3]]
    for number in range(2):
        cards = list(CARDS) if number % 2 else list(reversed(CARDS))
        rounds += [*OPENING[3:], *(("card", card, "device:shoe") for card in cards)]
        rounds += [
            ("decide", {"seat": 1, "choose": "fold"}, "dealer:D1"),
            ("expose", {"community": [1, 2, 3]}, "dealer:D1"),
            ("collect", True, "dealer:D1"),
            ("load", {"decks": 1, "cards": 52}, "device:shoe"),
            ("shuffle", {"mode": "random", "counted": 52}, "device:shoe"),
        ]
    task = await play(store, journal, rounds)
    boundaries = [entry.number for entry in journal.read_entries("T1") if entry.boundary]
    assert len(boundaries) == 2
    everything = task.feed.after(0)
    for wanted, back in ((1, 1), (5, 1), (12, 8), (20, 1)):
        monkeypatch.setattr("controller.service.recovery.FEED_WANTED", wanted)
        monkeypatch.setattr("controller.service.recovery.FOLLOWED_BACK", back)
        feed = Feed()
        assert recover(store.engine, journal, feed) == task.state
        kept = feed.after(feed._dropped_up_to)
        assert back <= len(kept) < len(everything)
        assert kept == everything[-len(kept) :]
    monkeypatch.setattr("controller.service.recovery.FOLLOWED_BACK", len(everything))
    feed = Feed()
    assert recover(store.engine, journal, feed) == task.state
    assert feed.after(0) == everything  # every boundary is too near for those who follow
    await journal.aclose()
