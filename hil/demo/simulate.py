"""One simulated device for anyone to connect to, with things done to it on demand.

It prints its port, then one line for each change of its state, and does what is written on its standard input: `draw`,
`jam`, `lid-open` and so on. It ends with SIGINT or SIGTERM. Where its input is a pipe, the pipe's end ends it too: a
program that started it need not hunt for it.
"""

from __future__ import annotations

import asyncio
import os
import random
import signal
import stat
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Final

import msgspec

from controller.errors import ShoedError
from controller.technician.deck_file import read_deck
from device_profiles.errors import ProfileError
from device_profiles.shelf import ProfileShelf
from firmware_bridge.cards import Card, parse_card
from hil.faults import FaultError, parse_fault
from hil.mechanism.cards import PhysicalCard, fresh_shoe
from hil.simulated.device import SimulatedDevice
from hil.simulated.settings import SimulatedSettings
from hil.simulated.snapshot import Snapshot

LINE_BYTES: Final = 1_024
"""The longest word on standard input is `power-cycle`; what is longer is somebody's mistake."""
KEY_HEX: Final = 32
FOREVER_S: Final = 1e9
"""Thirty years: the device runs until it is told to end."""


class Wish(msgspec.Struct, frozen=True, kw_only=True):
    """What kind of device is wanted."""

    profile: str
    kind: str
    serial: str
    tcp: str | None
    rfc2217: str | None = None
    """Where a serial device server in front of it listens."""
    usb: str | None = None
    """Where a USB/IP server listens behind which it is plugged in."""
    link_dir: Path | None
    key: str | None
    decks: int
    draw_every_s: float | None
    seed: int
    faults: tuple[str, ...]
    speed: float = 1.0
    """Of a plain device: so many times faster than its line and its mechanism."""
    profiles: Path | None = None
    """A directory of further profiles."""
    cards: Path | None = None
    """The card map of a reader of tags."""
    address: int = 0
    technician_switch: bool = False
    technician_key: str | None = None
    firmware: str = "1.0.0"
    baud: int | None = None
    broken: tuple[str, ...] = ()
    sticky: tuple[int, ...] = ()
    past: tuple[tuple[str, int], ...] = ()
    test_deck: Path | None = None
    """A deck file: these cards in this order, laid in again whenever they have all left."""
    weak: tuple[str, ...] = ()
    """Cards that the reader makes out badly, each as `7d` or `7d:0.5`."""


WEAK_RATE: Final = 0.5
"""A card so worn that every second reading fails."""


DEEDS: Final[dict[str, Callable[[SimulatedDevice], object]]] = {
    "draw": lambda device: device.draw(),
    "jam": lambda device: device.jam(),
    "clear-jam": lambda device: device.clear_jam(),
    "lid-open": lambda device: device.open_lid(),
    "lid-close": lambda device: device.close_lid(),
    "cut-line": lambda device: device.cut_line(),
    "mend-line": lambda device: device.mend_line(),
    "power-off": lambda device: device.power_off(),
    "power-on": lambda device: device.power_on(),
    "power-cycle": lambda device: device.power_cycle(),
    "tamper": lambda device: device.tamper("case"),
    "cut-card": lambda device: device.cut_card(),
    "shuffle": lambda device: device.press_shuffle(),
    "push-back": lambda device: device.card_returned(),
}


def settings_of(wish: Wish) -> SimulatedSettings:
    """Return the device's settings.

    Raises:
        ShoedError: the profile, a fault, the key or the address does not exist or cannot be read.
    """
    try:
        ProfileShelf(wish.profiles).sdp1(wish.profile)
    except ProfileError as error:
        raise ShoedError("unknown-profile", f"{error}.", "Name a profile that is installed, such as sdp1.") from error
    verify_faults(wish)
    if wish.link_dir is not None:
        wish.link_dir.mkdir(parents=True, exist_ok=True)
    return SimulatedSettings(
        kind=wish.kind,
        serial=wish.serial,
        profile=wish.profile,
        profiles=wish.profiles,
        key=_key(wish.key),
        seed=wish.seed,
        faults=wish.faults,
        link_dir=wish.link_dir,
        tcp=address_of(wish.tcp),
        rfc2217=address_of(wish.rfc2217),
        address=wish.address,
        technician_switch=wish.technician_switch,
        technician_key=_key(wish.technician_key),
        firmware=wish.firmware,
        baud=wish.baud,
        sticky=wish.sticky,
        weak={card.name: rate for card, rate in weak_cards(wish).items()},
        past=dict(wish.past),
    )


def verify_faults(wish: Wish) -> None:
    """Check that every fault is one.

    Raises:
        ShoedError: one is not; the nearest is named.
    """
    try:
        for fault in wish.faults:
            parse_fault(fault)
    except FaultError as error:
        raise ShoedError("unknown-fault", str(error), "`shoed simulate --help` lists the faults.") from error


def weak_cards(wish: Wish) -> dict[Card, float]:
    """Return the cards that the reader makes out badly, and how often it fails.

    Raises:
        ShoedError: one is no card, or the rate is none.
    """
    found: dict[Card, float] = {}
    for text in wish.weak:
        name, colon, rate = text.partition(":")
        try:
            found[parse_card(name)] = float(rate) if colon else WEAK_RATE
        except ValueError as error:
            raise ShoedError("bad-weak-card", f"`{text[:40]}` is no weak card.", "Write such as 7d or 7d:0.5.") from error
    return found


def cards_of(wish: Wish) -> list[PhysicalCard]:
    """Return the cards that lie in it at first: the test deck in its order, else shuffled decks.

    Raises:
        ShoedError: the test deck cannot be read.
    """
    if wish.test_deck is not None:
        return [PhysicalCard(card) for card in read_deck(wish.test_deck)]
    cards = fresh_shoe(wish.decks)
    random.Random(wish.seed).shuffle(cards)
    return cards


def _key(text: str | None) -> bytes | None:
    if text is None:
        return None
    try:
        key = bytes.fromhex(text)
    except ValueError:
        key = b""
    if len(text) != KEY_HEX or len(key) * 2 != KEY_HEX:
        raise ShoedError("bad-key", "The key is not 32 hexadecimal digits.", "Write the device's 16 bytes in hexadecimal.")
    return key


def address_of(text: str | None) -> tuple[str, int] | None:
    """Return host and port of `HOST:PORT`; None for None. Raises ShoedError."""
    if text is None:
        return None
    host, _, port = text.rpartition(":")
    if not host or not port.isascii() or not port.isdigit() or int(port[:6]) > 65_535:
        raise ShoedError("bad-address", f"`{text[:40]}` is no HOST:PORT.", "Write such as 127.0.0.1:4001.")
    return host.strip("[]"), int(port)


def run_simulator(wish: Wish, write_object: Callable[[object], None] | None, write_text: Callable[[str], None]) -> None:
    """Run the device until it is told to end."""
    if wish.usb is not None:
        raise ShoedError(
            "wrong-line", f"A simulated device of {wish.profile} has no USB plug.", "Leave --usb out, or choose a profile with one."
        )
    settings = settings_of(wish)
    asyncio.run(_serve(wish, settings, write_object, write_text))


async def _serve(
    wish: Wish,
    settings: SimulatedSettings,
    write_object: Callable[[object], None] | None,
    write_text: Callable[[str], None],
) -> None:
    ended = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, ended.set)
    device = SimulatedDevice(settings)
    cards = cards_of(wish)
    if cards:
        device.load(cards)  # without power nothing is told: the cards were in it already
    try:
        await device.start()
    except OSError as error:
        raise ShoedError("cannot-listen", f"The port cannot be opened: {error.strerror}.", "Choose another.") from error
    for part in wish.broken:
        device.fail(part)
    try:
        _say_port(device, wish, write_object, write_text)
        tasks = [loop.create_task(_tell_changes(device, write_object, write_text))]
        if wish.draw_every_s is not None:
            tasks.append(loop.create_task(_keep_drawing(device, wish.draw_every_s, wish)))
        listen(loop, lambda word: _do(device, word, write_text), ended)
        await ended.wait()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    finally:
        await device.stop()


def _say_port(
    device: SimulatedDevice, wish: Wish, write_object: Callable[[object], None] | None, write_text: Callable[[str], None]
) -> None:
    if write_object is not None:
        write_object({"port": device.url, "profile": wish.profile, "kind": wish.kind, "serial": wish.serial})
    else:
        write_text(f"{device.url}")
        write_text(f"a simulated {wish.kind} speaking {wish.profile}, serial {wish.serial}; `help` lists what can be done")
    sys.stdout.flush()


async def _tell_changes(device: SimulatedDevice, write_object: Callable[[object], None] | None, write_text: Callable[[str], None]) -> None:
    """Write each new state; a snapshot tells no card."""
    last: Snapshot | None = None
    while True:
        seen = _public(last)
        last = await device.until(partial(_differs, seen), within_s=FOREVER_S)
        if write_object is not None:
            write_object({"state": last.state, "gate": last.gate, "drawn": last.position, "events": last.newest_eseq})
        else:
            write_text(f"{last.state}, gate {last.gate}, {last.position} drawn, {last.newest_eseq} events")
        sys.stdout.flush()


def _differs(seen: tuple[object, ...], now: Snapshot) -> bool:
    return _public(now) != seen


def _public(snapshot: Snapshot | None) -> tuple[object, ...]:
    return () if snapshot is None else (snapshot.state, snapshot.gate, snapshot.position, snapshot.host_running)


async def _keep_drawing(device: SimulatedDevice, every_s: float, wish: Wish) -> None:
    while True:
        await device.until(lambda now: now.gate == "open", within_s=FOREVER_S)
        if wish.test_deck is not None and not device.snapshot().inside:
            device.load(cards_of(wish))
        device.draw()
        await asyncio.sleep(every_s)


def listen(loop: asyncio.AbstractEventLoop, do: Callable[[str], None], ended: asyncio.Event) -> None:
    """Take words from standard input; only a pipe's end means that the parent has gone."""
    try:
        kind = os.fstat(0).st_mode
    except OSError:
        return
    if not (stat.S_ISFIFO(kind) or stat.S_ISSOCK(kind) or os.isatty(0)):
        return
    waiting = bytearray()

    def readable() -> None:
        chunk = os.read(0, LINE_BYTES)
        if not chunk:
            loop.remove_reader(0)
            ended.set()
            return
        waiting.extend(chunk)
        while b"\n" in waiting:
            line, _, rest = bytes(waiting).partition(b"\n")
            waiting[:] = rest
            do(line.decode("utf-8", "replace").strip())
        if len(waiting) > LINE_BYTES:
            waiting.clear()

    loop.add_reader(0, readable)


def _do(device: SimulatedDevice, word: str, write_text: Callable[[str], None]) -> None:
    deed = DEEDS.get(word)
    if deed is None:
        if word:
            write_text(f"words: {', '.join(DEEDS)}")
        return
    result = deed(device)
    if result is not None:
        write_text(f"{word}: {getattr(result, 'value', result)}")
