"""Judges recorded acts again under today's rules, and tells every verdict that differs from the recorded one.

The record is taken as it is: each act is judged in the state that the *recorded* facts led to, so one changed rule is
one line and not a landslide. Game, method and house settings come from the journal's own entries of the daemon's
starts. Lines name facts and fields, never a card.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

import msgspec

from controller.dealing.house import plain_settings
from controller.dealing.procedure import build_procedure
from controller.errors import ShoedError
from controller.games import find_game
from controller.journal.entry import OpenedEntry
from controller.service.engine import Engine
from controller.service.lifecycle import LIFE_KINDS, STARTED, Started
from controller.table.facts import AnyFact
from controller.table.state import TableState

NANOSECONDS_PER_MS: Final = 1_000_000


def rejudge(table_entries: Iterable[OpenedEntry]) -> list[str]:
    """Return one line for each entry of a table whose verdict differs today; empty when all are the same.

    Raises:
        ShoedError: when the record tells a game or settings that this program does not have.
    """
    lines: list[str] = []
    engine: Engine | None = None
    state: TableState | None = None
    for opened in table_entries:
        entry = opened.entry
        if entry.kind in LIFE_KINDS:
            if entry.kind == STARTED:
                engine, line = _engine_of(entry.table, entry.number, entry.body)
                lines += line
                state = engine.new_state() if state is None else state
            continue
        if engine is None or state is None:
            lines.append(f"entry {entry.number} ({entry.kind}): not judged, since no start before it tells the rules")
            break
        act, recorded = engine.decode(entry.body, opened.cards)
        today = engine.decide(state, act, entry.mono_ns // NANOSECONDS_PER_MS).facts
        if tuple(today) != recorded:
            lines.append(f"entry {entry.number} ({entry.kind}): {_difference(recorded, today)}")
        try:
            state = engine.fold(state, recorded)
        except ShoedError as error:
            lines.append(f"entry {entry.number} ({entry.kind}): its facts cannot be applied: {error.what}")
            break
    return lines


def _engine_of(table: str, number: int, body: bytes) -> tuple[Engine, list[str]]:
    started = msgspec.json.decode(body, type=Started)
    engine = Engine(table, build_procedure(find_game(started.game), started.method, plain_settings(started.house)))
    today = engine.procedure.rules_hash
    if today == started.rules_hash:
        return engine, []
    hashes = f"{started.rules_hash[:12]} then, {today[:12]} today"
    return engine, [f"entry {number} (started): the rules of {started.game} by {started.method} have changed: {hashes}"]


def _difference(recorded: Sequence[AnyFact], today: Sequence[AnyFact]) -> str:
    then_names, now_names = _names(recorded), _names(today)
    if then_names != now_names:
        return f"recorded {_listed(then_names)}; today {_listed(now_names)}"
    fields = sorted(
        f"{type(then).__name__}.{field}"
        for then, now in zip(recorded, today, strict=True)
        for field in then.__struct_fields__
        if getattr(then, field) != getattr(now, field)
    )
    return f"the same facts, and other values in {', '.join(fields)}"


def _names(facts: Sequence[AnyFact]) -> list[str]:
    return [type(fact).__name__ for fact in facts]


def _listed(names: list[str]) -> str:
    return ", ".join(names) if names else "nothing (refused)"
