"""Two worlds that differ in hidden cards only look the same from outside of whole daemon processes."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from hil.soak.campaign import LINEUPS
from hil.soak.site import TableSpec
from hil.soak.worlds import Tape, Words, differences, play_world

SEED = 21


def tables_of(lineups: list[int]) -> list[TableSpec]:
    pairs = [table for number in lineups for table in LINEUPS[number]]
    return [TableSpec(id=f"T{number}", game=game, method=method, sealed=number % 2 == 0) for number, (game, method) in enumerate(pairs, 1)]


def changed_among_dealt(tape: Tape, other: Tape) -> int:
    dealt = [(mine[:20], theirs[:20]) for mine, theirs in zip(tape.packs, other.packs, strict=True)]
    return sum(one != two for mine, theirs in dealt for one, two in zip(mine, theirs, strict=True))


async def compare_worlds(folder: Path, lineups: list[int], seed: int, rounds: int) -> None:
    tables = tables_of(lineups)
    first, tapes = await play_world(folder / "a", tables, seed, rounds, None)
    others = {name: tape.other_world(random.Random(f"{seed}:{name}")) for name, tape in tapes.items()}
    for spec in tables:
        changed = changed_among_dealt(tapes[spec.id], others[spec.id])
        # of six decks, one copy of a card that was shown keeps all the others in their places
        assert changed >= 3 or spec.procedure.deck.decks > 1, f"seed {seed}: hardly a dealt card of {spec.id} stayed hidden"
    second, _ = await play_world(folder / "b", tables, seed, rounds, others)
    assert all(first.entries.values())
    assert all(first.lines.values())
    assert all(first.journal.values())
    told = differences(first, second)
    assert not told, f"seed {seed}: the worlds differ:\n" + "\n".join(told)


@pytest.mark.requirement("T-03")
async def test_hidden_cards_show_in_no_output_log_answer_metric_or_record(tmp_path: Path) -> None:
    await compare_worlds(tmp_path, [0, 1], SEED, 2)


def test_a_word_more_a_word_less_and_another_word_are_found() -> None:
    words = Words(lines={"T1": ["one", "two"]}, log={"": [b"x"]})
    assert differences(words, Words(lines={"T1": ["one", "two"]}, log={"": [b"x"]})) == []
    assert differences(words, Words(lines={"T1": ["one", "too"]}, log={"": [b"x"]})) == ["lines T1, line 2: 'two' against 'too'"]
    assert differences(words, Words(lines={"T1": ["one", "two"]}, log={"": []})) == ["log : 1 lines against 0"]


def test_only_cards_that_nobody_was_shown_change_places() -> None:
    tape = Tape(packs=[["9h", "Kd", "2c", "As", "4s"]], shown=[{"Kd", "As"}])
    other = tape.other_world(random.Random(SEED)).packs[0]
    assert (other[1], other[3]) == ("Kd", "As")
    assert sorted(other) == sorted(tape.packs[0])
    assert other != tape.packs[0]


@pytest.mark.slow
@pytest.mark.timeout(0)
@pytest.mark.parametrize("seed", range(100, 110))
async def test_soak_two_worlds(tmp_path: Path, seed: int) -> None:
    await compare_worlds(tmp_path, [0, 1, 2, 3, 4], seed, 4)
