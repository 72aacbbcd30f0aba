"""Two worlds that differ in hidden cards only must look the same from outside: the same words, byte for byte.

The first world is played by people and taped: every act, every card pulled, the order of every shoe. Then the cards
that nobody was shown change places among themselves, and the same acts are played again, each with its own daemon
process. What the API, the demonstration, the log, the metrics and the journal without its keys tell must not differ.
People of these worlds name no card that lies face down, since what they say is no secret of the daemon.

Left out of the comparison is what tells the time or the place of a run: time stamps, durations, ports, and the numbers
by which the entries of several tables interleave at the start.
"""

from __future__ import annotations

import random
import re
from pathlib import Path
from typing import Final

import msgspec

from controller.dealing.round import DEALER
from controller.dealing.steps import Stack
from controller.journal.reader import open_reader
from controller.table.outcome import Outcome
from hil.demo.lines import Teller
from hil.endtoend.daemon import Entry
from hil.mechanism.cards import PhysicalCard
from hil.people.moves import Move
from hil.simulated.device import NotInTimeError
from hil.soak.api import ApiLine
from hil.soak.play import HEAR_S, LOOK_S, SoakTable
from hil.soak.site import Site, TableSpec

CARD_NAME: Final = re.compile(r"(?<![A-Za-z0-9])(?:[2-9TJQKA][cdhs]|Jk)(?![A-Za-z0-9])")
NAMES_CARDS: Final = frozenset({"keep", "discard", "high", "low"})
"""Keys of `decide` and `set` under which a player may name cards that lie face down."""
DEVICE_TIME: Final = re.compile(rb',"t_ms":[0-9]+')
TELLS_TIME: Final = ("shoed_commit_seconds",)
"""Metrics that hold durations."""
TIMES_AND_PLACES: Final = frozenset({"timestamp", "api", "entry"})
"""Fields of the log that tell when and where, also where in a journal that the devices of other tables write into meanwhile."""


class Tape(msgspec.Struct):
    """What happened at one table: acts in order (None: the device's turn), and the order of each shoe by names."""

    moves: list[Move | None] = []
    packs: list[list[str]] = []
    shown: list[set[str]] = []
    """By shoe, the names that anybody outside was told."""

    def other_world(self, rng: random.Random) -> Tape:
        """Return the same acts with other cards wherever nobody was shown any."""
        packs = []
        for pack, shown in zip(self.packs, self.shown, strict=True):
            hidden = [index for index, name in enumerate(pack) if name not in shown]
            names = [pack[index] for index in hidden]
            rng.shuffle(names)
            other = list(pack)
            for index, name in zip(hidden, names, strict=True):
                other[index] = name
            packs.append(other)
        return Tape(self.moves, packs)


class Words(msgspec.Struct):
    """All that one world tells to the outside, in comparable form: by table, where it is told by table."""

    entries: dict[str, list[bytes]] = {}
    lines: dict[str, list[str]] = {}
    views: dict[str, list[bytes]] = {}
    metrics: dict[str, list[bytes]] = {}
    log: dict[str, list[bytes]] = {}
    journal: dict[str, list[bytes]] = {}


class WorldTable(SoakTable):
    """A table that is taped, or plays a tape. After each act it waits until devices and daemon have come to rest."""

    burst_cards = 1

    def __init__(self, site: Site, spec: TableSpec, rng: random.Random, tape: Tape | None) -> None:
        super().__init__(site, spec, rng)
        self.tape = tape or Tape()
        self._plays = tape is not None
        self._at = 0
        self._shoes = 0
        self.entries: list[bytes] = []
        self.lines: list[str] = []
        self._teller = Teller(self.people.turned_up)

    async def one_act(self) -> None:
        """Do one thing and come to rest."""
        if self.outcome is None:
            for device in (self.shoe, self.shuffler):
                await device.host_running()
            await self.take_all()
        await super().one_act()
        await self._rest()

    async def _rest(self) -> None:
        """Wait until what has begun is over and told: stacks have come, the gate has followed, all is stored."""
        while True:
            self.check_progress()
            await self.take_all()
            outcome = self.outcome
            if outcome is None:
                return
            if outcome.gate == "open" and isinstance(self.procedure.step(outcome.phase), Stack):
                await self.hear(HEAR_S)
                continue
            try:
                await self.shoe.gate(outcome.gate, LOOK_S)
            except NotInTimeError:
                continue
            if self.shoe.journal.acknowledged == self.shoe.journal.newest:
                return

    def note_entry(self, entry: Entry, move: Move | None) -> None:
        """Keep what the API told, what the demonstration prints of it, and which cards that shows."""
        told = msgspec.json.encode([entry.act, entry.by, entry.outcome])
        self.entries.append(told)
        if entry.act != "routine":
            self.lines += self._teller.lines(entry, move)
        if (entry.act, entry.by) == ("load", "device:shoe"):
            self.tape.shown.append(set())
        elif self.tape.shown:
            said = "" if move is None else msgspec.json.encode(move.value).decode()
            self.tape.shown[-1].update(CARD_NAME.findall(told.decode() + said))

    def next_move(self, outcome: Outcome) -> Move | None:
        """Return what the people do, and tape it; or what the tape says."""
        if self._plays:
            move = self.tape.moves[self._at]
            self._at += 1
            return move
        move = super().next_move(outcome)
        move = None if move is None else _blind(move)
        self.tape.moves.append(move)
        return move

    def arrange(self, cards: list[PhysicalCard]) -> list[PhysicalCard]:
        """Tape the order of the shoe, or bring it into the order of the tape."""
        if not self._plays:
            self.tape.packs.append([_name(card) for card in cards])
            return cards
        by_name: dict[str, list[PhysicalCard]] = {}
        for card in cards:
            by_name.setdefault(_name(card), []).append(card)
        self._shoes += 1
        return [by_name[name].pop() for name in self.tape.packs[self._shoes - 1]]


async def play_world(
    folder: Path, tables: list[TableSpec], seed: int, rounds: int, tapes: dict[str, Tape] | None
) -> tuple[Words, dict[str, Tape]]:
    """Play one world, from tapes or by people, and return all its words and its tapes."""
    site = Site(folder, tables, seed)
    await site.open()
    try:
        await site.start()
        played = [WorldTable(site, spec, random.Random(f"{seed}:{spec.id}"), None if tapes is None else tapes[spec.id]) for spec in tables]
        for table in played:  # one after the other, so that the journal holds them in the same order in every world
            await table.play(rounds)
        words = await _words_of(site, played)
        await site.stop()
    finally:
        await site.close()
    _read_files(site, words)
    return words, {table.spec.id: table.tape for table in played}


async def _words_of(site: Site, played: list[WorldTable]) -> Words:
    line = ApiLine(site.folder)
    metrics = (await line.text("/v1/metrics")).splitlines()
    views = {table.spec.id: await line.text(f"/v1/tables/{table.spec.id}") for table in played}
    line.close()
    for table in played:
        table.close()
    return Words(
        entries={table.spec.id: _start_sorted(table.entries) for table in played},
        lines={table.spec.id: table.lines for table in played},
        views={name: [text.encode()] for name, text in views.items()},
        metrics={"": [text.encode() for text in metrics if not text.startswith(TELLS_TIME)]},
    )


def _read_files(site: Site, words: Words) -> None:
    """Read what lies on the disk for anybody without the journal's keys."""
    words.log = {"": sorted(_untimed(line) for line in (site.folder / "daemon.log").read_bytes().splitlines())}
    with open_reader(site.journal) as reader:
        for spec in site.tables:
            entries = reader.read_entries(spec.id)
            heads = [(entry, msgspec.json.encode([entry.kind, entry.shoe, entry.round, len(entry.sealed)])) for entry in entries]
            words.journal[spec.id] = _start_sorted([head + _unordered(DEVICE_TIME.sub(b"", entry.body)) for entry, head in heads])


def _unordered(body: bytes) -> bytes:
    """The numbers of the devices' events stand in the order in which the devices came."""
    return msgspec.json.encode(msgspec.json.decode(body), order="sorted")


def _start_sorted(told: list[bytes]) -> list[bytes]:
    """The devices of a table connect at once, in any order, before anybody opens it."""
    opened = next(index for index, item in enumerate(told) if item.startswith(b'["open"'))
    return sorted(told[:opened]) + told[opened:]


def _untimed(line: bytes) -> bytes:
    fields = msgspec.json.decode(line, type=dict[str, object])
    return msgspec.json.encode({name: value for name, value in fields.items() if name not in TIMES_AND_PLACES})


def _blind(move: Move) -> Move:
    """A player's choice without the cards that lie face down."""
    value = move.value
    if move.key not in ("decide", "set") or not isinstance(value, dict) or value.get("seat") == DEALER:
        return move
    return msgspec.structs.replace(move, value={key: item for key, item in value.items() if key not in NAMES_CARDS})


def _name(card: PhysicalCard) -> str:
    return card.face.name if card.face is not None else "?"


def differences(first: Words, second: Words) -> list[str]:
    """Return the first place of each kind of words where two worlds differ."""
    found = []
    for kind in first.__struct_fields__:
        one, two = getattr(first, kind), getattr(second, kind)
        for name in one:
            at = next((index for index, pair in enumerate(zip(one[name], two[name], strict=False)) if pair[0] != pair[1]), None)
            if at is not None:
                found.append(f"{kind} {name}, line {at + 1}: {one[name][at]!r} against {two[name][at]!r}")
            elif len(one[name]) != len(two[name]):
                found.append(f"{kind} {name}: {len(one[name])} lines against {len(two[name])}")
    return found
