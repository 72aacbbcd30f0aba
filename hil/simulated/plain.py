"""A simulated device of a foreign protocol, made from its profile: real cards, its own words, its own pace, a faulty cable.

It knows no game. Somebody loads cards, draws them, pulls its plug; it tells what its protocol can tell, as often as the protocol repeats
it, no faster than its line and its mechanism go. `factor` makes both faster. A device that says everything several times with a small
running number cannot be hurried so far that the numbers come round within the time in which the host takes equal words for a repetition;
who wants that anyway gives it a profile with a shorter time.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Final

import msgspec

from device_profiles.errors import FieldError
from device_profiles.plain.frames import Way
from device_profiles.plain.messages import Plain
from device_profiles.plain.profile import PlainProfile
from firmware_bridge.cards import FRENCH_CARDS, Card
from firmware_bridge.plain.codec import PlainCodec
from firmware_bridge.plain.framers import PlainFrame
from hil.faults import DeviceFaults, FaultyLine, parse_fault
from hil.mechanism.cards import PhysicalCard, Stack
from hil.mechanism.reader import weakness
from hil.simulated.ends import End, PtyEnd, TcpEnd
from hil.simulated.pacing import PacedLine
from hil.simulated.rfc2217_end import Rfc2217End
from hil.simulated.speaker import Speaker
from hil.simulated.unanswered import Unanswered
from hil.simulated.usb_bus import UsbBus
from hil.simulated.usb_end import UsbEnd

CARD_FAULTS: Final = ("misread", "wrong-read", "power-loss", "unplug")
UNPLUGGED_S: Final = 0.5
"""As long as a knocked plug is out."""
PATIENCE_S: Final = 10.0
DRAWS_MAX: Final = 1_000
"""Draws that wait for the mechanism; a shoe of twelve decks has fewer cards."""


class PlainSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Everything about a simulated device that stays while it lives."""

    profile: PlainProfile
    name: str = "SIM-1"
    """The name of its link."""
    seed: int = 0
    factor: float = 1.0
    """So many times faster than its line and its mechanism."""
    faults: tuple[str, ...] = ()
    link_dir: Path | None = None
    tcp: tuple[str, int] | None = None
    rfc2217: tuple[str, int] | None = None
    """Be reached through a serial device server that listens there and takes settings for its line."""
    weak: Mapping[Card, float] = {}
    """Cards that its reader makes out badly, and how often it fails."""
    usb: UsbBus | None = None
    """Be plugged in there; its name is the serial number that its plug tells."""
    tags: Mapping[str, tuple[str, ...]] = {}
    """Card name to tags, for readers of tagged cards."""
    end: End | None = None
    """Hang on this end of a cable, whatever it is."""


class PlainDevice:
    """One simulated device on a pseudo-terminal, a TCP port, a serial device server or a USB bus. Call it on its event loop only."""

    def __init__(self, settings: PlainSettings, *, clock: Callable[[], float] = time.monotonic) -> None:
        self.settings = settings
        self.clock = clock
        profile = settings.profile
        codec = PlainCodec(profile)
        orders = tuple(parse_fault(text) for text in settings.faults)
        named = f"{settings.seed}:{settings.name}"
        self.speaker = Speaker(codec, settings.tags)
        self.stack = Stack()
        self.tray: list[PhysicalCard] = []
        """Cards that have left and that nobody has picked up."""
        self.locked = False
        self.drawn = 0
        self.unread: list[PhysicalCard] = []
        """Cards that its reader could not make out."""
        self.to_host = FaultyLine(orders, random.Random(f"{named}:to-host"))
        self._codec, self._framer = codec, codec.framer(Way.OUT, pauses=True)
        self._faults = DeviceFaults(orders, random.Random(f"{named}:device"))
        self._rng = random.Random(f"{named}:reader")
        self._times = profile.repeats.times if profile.repeats is not None else 1
        self._cycle_s = profile.simulation.cycle_s / settings.factor
        self._jitter_s = (profile.simulation.jitter_s or 0.0) / settings.factor
        self._answer_s = (profile.simulation.answer_s or 0.0) / settings.factor
        self._paced = PacedLine(_byte_s(profile) / settings.factor)
        self.unanswered = Unanswered(codec)
        self._draws: deque[Mapping[str, Plain]] = deque()
        self._next_card_s = self._alive_due_s = 0.0
        self._once = frozenset(profile.repeats.once if profile.repeats is not None else ())
        self._usb = None if settings.usb is None else UsbEnd(settings.usb, profile, settings.name)
        self._end = self._new_end()
        self._plugged = False
        self._loop: asyncio.AbstractEventLoop | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._quiet = asyncio.Event()
        self._heard = asyncio.Event()
        self._knocks: set[asyncio.Task[None]] = set()

    @property
    def url(self) -> str:
        """What a host opens: a path or a `tcp://` address."""
        return self._end.url

    async def start(self) -> None:
        """Plug the cable in and switch the power on."""
        self._loop = asyncio.get_running_loop()
        await self.plug_in()
        self.restart()

    async def stop(self) -> None:
        """Take the cable away for good."""
        for knock in self._knocks:
            knock.cancel()
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        await self.unplug()

    async def unplug(self) -> None:
        """Take the cable away: the host sees its port vanish, and what was under way is lost."""
        self._plugged = False
        self._paced.clear()
        await self._end.close()

    async def plug_in(self) -> None:
        """Put a cable in; a pseudo-terminal has a new path, its link the old one, and a network address stays."""
        if not isinstance(self._end, TcpEnd):
            self._end = self._new_end()
        await self._end.open(self)
        self._plugged = True

    def restart(self) -> None:
        """Power comes back: it counts anew, and says so if its protocol has words for it."""
        self.locked = False
        self.unanswered.forget()
        self._speak(self.speaker.start())
        self.pump()

    def load(self, cards: Iterable[PhysicalCard]) -> None:
        """Put cards into it; nothing is told, since nobody asks such a device what it holds."""
        self.stack.put_under(cards)

    def unload(self) -> list[PhysicalCard]:
        """Take all cards out."""
        return self.stack.take_all()

    def draw(self, values: Mapping[str, Plain] | None = None) -> bool:
        """Draw the next card as soon as the mechanism can; False when it is locked, empty, or tells no cards.

        `values` are fields of what it will say.
        """
        tells_none = self.settings.profile.simulation.card is None
        if self.locked or tells_none or len(self.stack) <= len(self._draws) or len(self._draws) >= DRAWS_MAX:
            return False
        self._draws.append(values or {})
        self.pump()
        return True

    def say(self, name: str, values: Mapping[str, Plain] | None = None) -> None:
        """Say a message of the profile, as often as the device says everything.

        Raises:
            FieldError: there is no such message, or a value is missing or does not fit.
        """
        self._speak(self.speaker.say(name, values), times=1 if name in self._once else None)
        self.pump()

    def cut_line(self) -> None:
        """Make the cable dead for some time."""
        self.to_host.cut(self.clock())

    async def said_everything(self, within_s: float = PATIENCE_S) -> None:
        """Wait until every card has left and every byte has arrived.

        Raises:
            TimeoutError: it took longer.
        """
        async with asyncio.timeout(within_s):
            while not self._is_quiet():
                self._quiet.clear()
                await self._quiet.wait()

    async def unlocked(self, within_s: float = PATIENCE_S) -> None:
        """Wait until the host lets cards go.

        Raises:
            TimeoutError: it took longer.
        """
        async with asyncio.timeout(within_s):
            while self.locked:
                self._heard.clear()
                await self._heard.wait()

    # ---- the host's end of the cable

    def host_came(self) -> None:
        self.unanswered.hurry()
        self.pump()

    def host_went(self) -> None:
        self._framer.reset()

    def bytes_came(self, chunk: bytes) -> None:
        now_s = self.clock()
        if self.settings.profile.framing.echo:
            self._paced.feed(chunk, now_s)  # one wire for both ways
        for item in self._framer.feed(chunk, now_s):
            if isinstance(item, PlainFrame):
                self._hear(item)
        self.pump()

    def _hear(self, frame: PlainFrame) -> None:
        try:
            asked = self._codec.read(frame, way=Way.OUT)
        except FieldError:
            return  # damaged or not for it: such devices say nothing then, and the host asks again
        if asked is None:
            return
        match next((m.carries for m in self.settings.profile.messages if m.name == asked.name), None):
            case "Lock":
                self.locked = True
            case "Unlock":
                self.locked = False
            case _:
                pass
        self.unanswered.replied(asked)
        self._feed(self.speaker.answer(asked), self._answer_s)
        self._heard.set()

    # ---- the mechanism

    def pump(self) -> None:
        """Let due things happen, and arrange to be called again."""
        now_s = self.clock()
        while self._draws and now_s >= self._next_card_s:
            self._let_card_go(self._draws.popleft(), now_s)
        if self._plugged:
            self._feed(self.unanswered.due(now_s))
            self._show_life(now_s)
        for chunk in self.to_host.take(now_s):
            self._paced.feed(chunk, now_s)
        for piece in self._paced.take(now_s):
            if self._plugged:
                self._end.send(piece)
        if self._is_quiet():
            self._quiet.set()
        self._arm_timer(now_s)

    def _show_life(self, now_s: float) -> None:
        rule = self.settings.profile.simulation
        if rule.alive is not None and now_s >= self._alive_due_s:
            self._alive_due_s = now_s + rule.alive_s
            self._speak(self.speaker.say(rule.alive), times=1 if rule.alive in self._once else None)

    def _let_card_go(self, values: Mapping[str, Plain], now_s: float) -> None:
        card = self.stack.take_top()
        if card is None:
            return
        self.tray.append(card)
        if card.is_cut_card:
            self._speak(self.speaker.cut_card())
            self._draws.appendleft(values)  # it is put aside, and the hand draws on
            return
        self.drawn += 1
        self._next_card_s = now_s + self._cycle_s + self._rng.uniform(0.0, self._jitter_s)
        struck = self._faults.struck(*CARD_FAULTS) | weakness(card, self.settings.weak, self._rng)
        seen = self._seen(card, struck)
        if seen is None:
            self.unread.append(card)
        self._speak(self.speaker.card(seen, values))
        if "power-loss" in struck:
            self._speak(self.speaker.start())
        if "unplug" in struck and self._loop is not None:
            knock = self._loop.create_task(self._knock())
            self._knocks.add(knock)
            knock.add_done_callback(self._knocks.discard)

    def _seen(self, card: PhysicalCard, struck: frozenset[str]) -> Card | None:
        if "misread" in struck:
            return None
        return self._rng.choice(FRENCH_CARDS) if "wrong-read" in struck else card.face

    async def _knock(self) -> None:
        await self.said_everything()
        await self.unplug()
        await asyncio.sleep(UNPLUGGED_S)
        await self.plug_in()

    def _speak(self, wire: bytes, times: int | None = None) -> None:
        if self.speaker.is_polled or not wire:
            return  # it speaks when it is asked
        if self.unanswered.takes(wire):
            return  # said as soon as what was said before has its reply
        for _ in range(times or self._times):
            self._feed(wire)

    def _feed(self, wire: bytes, after_s: float = 0.0) -> None:
        if not wire or not self._plugged:
            return
        line = self._paced if self.to_host.is_clean else self.to_host
        line.feed(wire, self.clock() + after_s)

    def _is_quiet(self) -> bool:
        return not self._draws and self._paced.is_idle and self.to_host.next_due_s() is None

    def _arm_timer(self, now_s: float) -> None:
        due = [self.to_host.next_due_s(), self._paced.next_due_s(), self._next_card_s if self._draws else None]
        if self._plugged:
            shows_life = self.settings.profile.simulation.alive is not None
            due += [self.unanswered.next_due_s(), self._alive_due_s if shows_life else None]
        due_s = min((moment for moment in due if moment is not None), default=None)
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if due_s is not None and self._loop is not None:
            self._timer = self._loop.call_later(max(0.0, due_s - now_s), self._on_timer)

    def _on_timer(self) -> None:
        self._timer = None
        self.pump()

    def _new_end(self) -> End:
        if self.settings.end is not None:
            return self.settings.end
        if self.settings.rfc2217 is not None:
            return Rfc2217End(*self.settings.rfc2217, self.settings.profile.line.serial)
        if self._usb is not None:
            return self._usb
        if self.settings.tcp is not None:
            return TcpEnd(*self.settings.tcp)
        link_dir = self.settings.link_dir
        return PtyEnd(link_dir / self.settings.name if link_dir is not None else None)


def _byte_s(profile: PlainProfile) -> float:
    """How long one byte takes on the device's own serial line; a device without one has a line of no time."""
    line = profile.line.serial
    if line is None:
        return 0.0
    return (1 + line.data_bits + (line.parity.value != "N") + line.stop_bits) / line.baud
