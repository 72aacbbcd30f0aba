"""P14: what a card costs when a process serves more tables, and what a round costs when the journal has grown.

CPU time of the whole process, not wall time: the committer's thread counts too.
"""

from __future__ import annotations

import asyncio
import random
import time
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from controller.dealing.procedure import build_procedure
from controller.games import find_game
from controller.journal.clock import SystemClock
from controller.journal.entry import EntryDraft
from controller.journal.journal import Journal, open_journal
from controller.journal.keys import create_keys
from controller.table import acts as a
from controller.table.record import encode_entry
from controller.table.state import TableState
from controller.table.table import decide
from firmware_bridge.cards import FRENCH_CARDS, Sealed
from hil.bench.measure import Goal, at_most
from hil.bench.table_bench import CARDS, bets_closed, opened

TABLES = (1, 10, 100)
CARDS_IN_ALL = 4_000
"""Cards per measurement, shared among the tables."""
ROUNDS = 5


def measure_tables() -> list[Goal]:
    """CPU seconds per card, decided and durable, at 1, 10 and 100 tables."""
    costs: dict[int, list[float]] = {count: [] for count in TABLES}
    for _ in range(ROUNDS):
        for count in TABLES:
            costs[count].append(asyncio.run(_cost_per_card(count)))
    base = median(costs[1])
    return [at_most("P14", f"CPU per card at {count} tables / at one", median(costs[count]), base, 1.2) for count in TABLES[1:]]


async def _cost_per_card(count: int) -> float:
    procedure = build_procedure(find_game("colorado-hold-em-poker"), "hand", {})
    names = [f"t{number}" for number in range(count)]
    begin = {name: bets_closed(procedure, opened(procedure, name)) for name in names}
    deck = list(FRENCH_CARDS)
    random.Random(3).shuffle(deck)
    cards = [a.CardOut(read=Sealed(card)) for card in deck[:CARDS]]
    repeats = CARDS_IN_ALL // (count * CARDS)

    async def serve(journal: Journal, name: str) -> None:
        for _ in range(repeats):
            state: TableState = begin[name]
            for act in cards:
                verdict = decide(procedure, state, act, 0)
                body, sealed = encode_entry(act, verdict.facts)
                await journal.append(EntryDraft(table=name, shoe=1, round=1, kind="card", body=body, cards=sealed))
                state = verdict.state

    with TemporaryDirectory() as folder:
        keys = create_keys(Path(folder) / "keys")
        journal = open_journal(
            Path(folder) / "journal.db", tables=names, seal_key=keys.seal_key, signing_key=keys.signing_key, clock=SystemClock()
        )
        started = time.process_time()
        await asyncio.gather(*(serve(journal, name) for name in names))
        spent = time.process_time() - started
        await journal.aclose()
    return spent / (count * repeats * CARDS)
