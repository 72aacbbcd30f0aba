"""One table of a site, played by simulated people who go on whatever happens to the daemon, the line or the power.

Every journalled act is heard once and in order, also those that came while the daemon was dead. An act whose answer was
lost is looked for in the entries: it was taken or it was not, and is then made again. The dealer pulls cards as long as
the gate lets her, also from a device whose daemon has just died. Cards are objects that go round: shuffler, shoe,
table, and back.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Callable
from typing import Final

from controller.dealing.steps import Stack
from controller.table.outcome import Outcome
from hil.endtoend.daemon import ApiError, Entry
from hil.mechanism.cards import PhysicalCard, cut_card, shoe_of
from hil.mechanism.options import DrawResult
from hil.people.moves import Move
from hil.people.people import SUPERVISOR, WAYS, People
from hil.people.session import BETWEEN_ROUNDS
from hil.people.tracker import CardTracker
from hil.simulated.device import NotInTimeError
from hil.soak.api import ApiLine, GoneError
from hil.soak.figures import Figures, add_counts
from hil.soak.site import Site, SoakError, TableSpec
from hil.soak.witness import WitnessedDevice

STUCK_S: Final = 90.0
"""A lost link is tried again at the latest every 15 s (SDP/1 1.8); several tries, a start, and a busy machine."""
LOOK_S: Final = 0.25
"""How long somebody waits for a device before looking at the table again."""
HEAR_S: Final = 0.5
"""How long the entries are waited for before looking at the devices again."""
MOST_SEATS: Final = 4
"""Rounds stay short, so that many of their moments are struck."""
BURST_CARDS: Final = 3
"""A quick dealer pulls so many cards before she looks."""
RETOLD_STEP: Final = 50
"""How much further on the daemon is asked for what it keeps, when it no longer keeps this."""
CARDS_BEHIND: Final = 60
"""Behind the cutting card lie more cards than a round of four seats takes."""
CONTINUE_RATE: Final = 0.7
"""How often the supervisor lets a round go on; else it is void."""
MENDED_BY_ITSELF: Final = frozenset({"device-lost", "wrong-identity", "device-warning"})
"""Alarms that end when the device is back, and the warning that may come before; a word of the supervisor does not mend them."""


class SoakTable:
    """See the module's text. `moment` is called before everything that happens, so that trouble can strike there."""

    burst_cards = BURST_CARDS

    def __init__(self, site: Site, spec: TableSpec, rng: random.Random, moment: Callable[[], None] = lambda: None) -> None:
        self.spec = spec
        self.procedure = spec.procedure
        self.figures = Figures()
        self.heard: list[Entry] = []
        self.promised: dict[int, Move] = {}
        """Acts that were answered with the number of their entry."""
        self.cards: list[PhysicalCard] = []
        """The set in use."""
        self._site = site
        self._rng = rng
        self._moment = moment
        self.people = People(self.procedure, rng, most_seats=MOST_SEATS)
        self.line = ApiLine(site.folder)
        self.outcome: Outcome | None = None
        self._pending: Move | None = None
        self._last = 0
        self._lying: list[PhysicalCard] = []
        self._in_round = False
        self._packs = 0
        self._tracker = CardTracker()
        self._ways: list[str] = []
        self._moved_on = time.monotonic()

    @property
    def shoe(self) -> WitnessedDevice:
        return self._site.devices[self.spec.id]["shoe"]

    @property
    def shuffler(self) -> WitnessedDevice:
        return self._site.devices[self.spec.id]["shuffler"]

    async def play(self, rounds: int) -> None:
        """Play until so many rounds are over, void ones included.

        Raises:
            SoakError: nobody gets on.
        """
        goal = self.figures.rounds + rounds
        self._moved_on = time.monotonic()
        while self.figures.rounds < goal:
            self.check_progress()
            await self._site.alive.wait()
            try:
                await self.one_act()
            except GoneError:
                await self._come_back()

    async def settle(self) -> None:
        """Wait until everything that the devices have told is stored and heard, and the daemon tells it all once more.

        Raises:
            SoakError: that does not come.
        """
        self._moved_on = time.monotonic()
        while True:
            self.check_progress()
            await self._site.alive.wait()
            try:
                await self.take_all()
                await self._verify_retold()
                return
            except GoneError:
                await self._come_back()

    def close(self) -> None:
        """Give the connection back."""
        self.line.close()

    # ---- one act after another

    async def one_act(self) -> None:
        if self.outcome is None:
            self.outcome = (await self.line.view(self.spec.id)).outcome
            await self.hear(0.0)
            self.people.heard(None, self.outcome)
        outcome = self.outcome
        if outcome.state == "suspended":
            await self._see_to_alarms(outcome)
            return
        if outcome.state == "ready" and not len(self.shoe.machine.feed):
            await self._load_shoe()
            return
        move = self.next_move(outcome)
        if move is not None:
            await self._tell(move)
        elif outcome.gate == "open":
            await self._draw(outcome)
        elif outcome.state in BETWEEN_ROUNDS or outcome.state == "void":
            await self._make_ready(outcome)
        else:
            await self._look_up()

    def next_move(self, outcome: Outcome) -> Move | None:
        """Return what a person does now; None when it is a device's turn."""
        return self.people.next_move(outcome)

    def note_entry(self, entry: Entry, move: Move | None) -> None:
        """Take note of an entry before the people do; `move` is what they did, where they did it."""

    def arrange(self, cards: list[PhysicalCard]) -> list[PhysicalCard]:
        """Return the shuffled cards as they go into the shoe."""
        return cards

    async def _look_up(self) -> None:
        """Nobody knows what to do: the table waits for something that is not over yet."""
        before = self._last
        await self.hear(HEAR_S)
        if self._last == before:
            self.outcome = (await self.line.view(self.spec.id)).outcome
            self.people.heard(None, self.outcome)

    async def _tell(self, move: Move) -> None:
        self._moment()
        self.figures.acts += 1
        self._pending = move
        answer = await self.line.act(self.spec.id, move.key, move.value, move.by)
        if answer.entry is None:
            self._pending = None
            refused = answer.outcome.refused or ""
            add_counts(self.figures.refused, {refused: 1})
            self.people.heard(move, answer.outcome)
            self.outcome = answer.outcome
            await self.hear(0.0)
            return
        self.promised[answer.entry] = move
        while self._last < answer.entry:
            await self.hear(HEAR_S)

    async def _come_back(self) -> None:
        """The connection broke: whether an act under way was taken is told by the entries of the daemon that lives then."""
        self.line.close()
        was_uncertain = self._pending is not None
        self.figures.uncertain += was_uncertain
        if not self._site.alive.is_set():
            self._draw_unattended()
        while True:
            self.check_progress()
            await self._site.alive.wait()
            try:
                self.outcome = (await self.line.view(self.spec.id)).outcome
                await self.hear(0.0)
                break
            except GoneError:
                self.line.close()
                await asyncio.sleep(0)
        self._pending = None
        self.people.heard(None, self.outcome)

    def _draw_unattended(self) -> None:
        """The daemon is dead and nobody has noticed: the dealer goes on as far as the gate lets her."""
        for _ in range(self._rng.randint(0, BURST_CARDS)):
            if self.shoe.draw() is not DrawResult.DRAWN:
                return
            self.figures.cards_unattended += 1

    # ---- cards

    async def _draw(self, outcome: Outcome) -> None:
        if isinstance(self.procedure.step(outcome.phase), Stack):
            self._moment()
            await self.hear(HEAR_S)
            return
        if not await self._gate_is_open():
            await self.hear(0.0)
            return
        drawn = 0
        for _ in range(self._rng.randint(1, self.burst_cards)):
            self._moment()
            if self.shoe.draw() is not DrawResult.DRAWN:
                break
            drawn += 1
        if drawn:
            await self._hear_cards()
        else:
            await self._look_up()

    async def _gate_is_open(self) -> bool:
        try:
            await self.shoe.gate("open", LOOK_S)
        except NotInTimeError:
            return False
        return True

    async def _hear_cards(self) -> None:
        """Wait until every card that was told is stored and heard, or the table waits for something else."""
        while self.figures.cards < self.shoe.cards_told and self.outcome is not None and self.outcome.state != "suspended":
            self.check_progress()
            await self.hear(HEAR_S)

    async def _make_ready(self, outcome: Outcome) -> None:
        """Pick everything up, shuffle it, put it into the shoe; a new set when the old one is not in order."""
        await self.take_all()
        lying = [*self._lying, *self.shoe.tray, *self.shoe.unload(), *self.shuffler.unload(), *self.shuffler.tray]
        cards = [card for card in lying if not card.is_cut_card]
        self._lying.clear()
        self._tracker.clear()
        self.shoe.tray.clear()
        self.shuffler.tray.clear()
        self._verify_set(cards)
        deck = self.procedure.deck
        if not cards or outcome.state == "quarantined":
            cards = shoe_of(deck, ("red", "blue")[self._packs % 2])
            self._packs += 1
            self.cards = list(cards)
        self._moment()
        self.shuffler.load(cards)
        await self.take_all()
        self._moment()
        self.shuffler.press_shuffle(decks=deck.decks)
        await self.take_all()

    async def _load_shoe(self) -> None:
        """The cards are shuffled, which the table knows: put them into the shoe."""
        cards = self.arrange(self.shuffler.unload())
        if self.procedure.game.shoe_game:
            cards.insert(len(cards) - CARDS_BEHIND, cut_card())
        self._moment()
        self.shoe.load(cards)
        await self.take_all()

    def _verify_set(self, cards: list[PhysicalCard]) -> None:
        if sorted(map(id, cards)) != sorted(map(id, self.cards)):
            raise self._broken(f"{len(cards)} cards lie at the table where {len(self.cards)} belong: the simulation itself lost one")

    async def take_all(self) -> None:
        """Wait until the devices have power and the daemon has stored all they told, then hear it."""
        devices = (self.shoe, self.shuffler)
        while True:
            self.check_progress()
            try:
                for device in devices:
                    await device.until(lambda now: now.powered and now.act is None and now.acknowledged_eseq == now.newest_eseq, LOOK_S)
            except NotInTimeError:
                await self.hear(0.0)
                continue
            await self.hear(0.0)
            if all(device.journal.acknowledged == device.journal.newest for device in devices):
                return

    async def _verify_retold(self) -> None:
        """The daemon that lives now tells what all daemons before it told, as far back as it keeps entries."""
        for start in range(0, len(self.heard), RETOLD_STEP):
            try:
                page = await self.line.entries(self.spec.id, self.heard[start].entry - 1)
            except ApiError as error:
                if error.code != "entries-gone":
                    raise
                continue  # a restarted daemon keeps what came since a boundary some rounds ago
            again: list[Entry] = []
            while page.entries:
                again.extend(page.entries)
                for entry in page.entries:
                    if entry.entry > self._last:
                        self._hear_entry(entry)  # a bad line was lost meanwhile
                page = await self.line.entries(self.spec.id, again[-1].entry)
            for before, now in zip(self.heard[start:], again, strict=True):
                if before != now:
                    raise self._broken(f"entry {before.entry} was told as {before} and is told as {now}")
            return

    # ---- what the table says

    async def hear(self, wait_s: float) -> None:
        """Take in all entries that are new, waiting for the first up to some seconds."""
        page = await self.line.entries(self.spec.id, self._last, wait_s)
        while page.entries:
            for entry in page.entries:
                self._hear_entry(entry)
            page = await self.line.entries(self.spec.id, self._last)

    def _hear_entry(self, entry: Entry) -> None:
        if entry.entry <= self._last:
            raise self._broken(f"entry {entry.entry} was told after {self._last}")
        self._last = entry.entry
        self._moved_on = time.monotonic()
        self.heard.append(entry)
        outcome = self.outcome = entry.outcome
        move = None
        if not entry.by.startswith("device"):
            move, self._pending = self._pending, None
            if move is None or (move.key, move.by) != (entry.act, entry.by):
                raise self._broken(f"entry {entry.entry} is a {entry.act} by {entry.by}, which nobody did: {move}")
        if entry.act == "card" and entry.by == "device:shoe":
            self._see_card()
        self._tracker.told(entry.act, outcome, in_stack=False)
        for place, name in self._tracker.take_placed():
            self.people.saw_card(place, name)
        self.note_entry(entry, move)
        self.people.heard(move, outcome)
        self._note(outcome)

    def _see_card(self) -> None:
        while self.shoe.tray and self.shoe.tray[0].is_cut_card:
            self.shoe.tray.pop(0)
        if not self.shoe.tray:
            raise self._broken(f"entry {self._last} tells a card that never left the shoe")
        card = self.shoe.tray.pop(0)
        self._lying.append(card)
        self.figures.cards += 1
        self._tracker.pulled([card.face.name if card.face is not None else "?"])

    def _note(self, outcome: Outcome) -> None:
        figures = self.figures
        if outcome.alarm is not None:
            add_counts(figures.alarms, {outcome.alarm: 1})
        if outcome.irregularity is not None:
            add_counts(figures.irregularities, {outcome.irregularity: 1})
        if outcome.state == "suspended":
            return  # in a round or between two, as before
        in_round = outcome.state not in BETWEEN_ROUNDS and outcome.state != "closed"
        if self._in_round and not in_round:
            figures.rounds += 1
            figures.void += "void" in outcome.results.values()
        self._in_round = in_round

    async def _see_to_alarms(self, outcome: Outcome) -> None:
        if set(outcome.alarms) <= MENDED_BY_ITSELF:
            await self.hear(HEAR_S)
            return
        if not self._ways:
            first = "continue" if self._rng.random() < CONTINUE_RATE else "void"
            self._ways = [first, *(way for way in WAYS if way != first)]
        await self._tell(Move("resolve", {"choose": self._ways.pop(0)}, SUPERVISOR))
        if self.outcome is not None and self.outcome.state != "suspended":
            self._ways = []

    def check_progress(self) -> None:
        if time.monotonic() - self._moved_on > STUCK_S:
            raise self._broken(f"nothing has moved for {STUCK_S:g} s")

    def _broken(self, what: str) -> SoakError:
        where = f"table {self.spec.id} ({self.spec.game}, {self.spec.method}), entry {self._last}"
        state = f"{self.outcome}; shoe {self.shoe.snapshot()}; shuffler {self.shuffler.snapshot()}"
        text = f"Seed {self._site.seed}, {where}: {what}. It stands at {state}. The daemon's log ends with:\n{self._site.log_end()}\n"
        return SoakError("soak-table", text, "Run it again with this seed.")
