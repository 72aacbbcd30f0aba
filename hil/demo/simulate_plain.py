"""`shoed simulate` for devices of foreign protocols: the same port, the same words on standard input, made from the profile.

`draw` draws a card whatever a host wants, since most of these devices have no gate; `say MESSAGE FIELD=VALUE ...` says any message of the
profile, such as an alarm.
"""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import Callable, Mapping
from typing import Final

from controller.errors import ShoedError, as_sentence
from controller.service.card_map import read_card_map
from controller.service.errors import ConfigError
from device_profiles.errors import FieldError, ProfileError
from device_profiles.plain.messages import Plain
from device_profiles.plain.profile import PlainProfile, TransportKind
from device_profiles.shelf import ProfileShelf
from firmware_bridge.cards import FRENCH_CARDS
from hil.demo.simulate import Wish, address_of, cards_of, listen, verify_faults, weak_cards
from hil.mechanism.cards import cut_card
from hil.simulated.plain import PlainDevice, PlainSettings
from hil.simulated.speaker import SpeakerError
from hil.simulated.usb_bus import UsbBus

WORDS: Final = ("draw", "cut-card", "cut-line", "unplug", "plug-in", "power-cycle", "say MESSAGE FIELD=VALUE ...")
WriteObject = Callable[[object], None] | None


def run_plain(wish: Wish, shelf: ProfileShelf, write_object: WriteObject, write_text: Callable[[str], None]) -> None:
    """Run the device until it is told to end.

    Raises:
        ShoedError: the profile cannot be used here, or something that is wished for does not exist.
    """
    verify_faults(wish)
    try:
        profile = shelf.plain(wish.profile)
        _verify_line(profile, wish)
        tags = _tags(profile, wish)
        asyncio.run(_serve(profile, tags, wish, write_object, write_text))
    except (ProfileError, SpeakerError) as error:
        raise ShoedError("bad-profile", as_sentence(str(error)), "Mend the profile.") from error


def _verify_line(profile: PlainProfile, wish: Wish) -> None:
    if wish.usb is not None:
        wanted = {TransportKind.USB_HID, TransportKind.USB_BULK}
    else:
        wanted = {TransportKind.SERIAL if wish.tcp is None else TransportKind.TCP}
    if not wanted & set(profile.line.kinds):
        kinds = ", ".join(k.value for k in profile.line.kinds)
        raise ShoedError(
            "wrong-line", f"Devices of {profile.name} are reached by {kinds}.", "Simulate it there, or choose another profile."
        )


def _tags(profile: PlainProfile, wish: Wish) -> Mapping[str, tuple[str, ...]]:
    """The tags of each card, for a reader of tags: from the card map, which is made where there is none yet."""
    if not any(m.means is not None and m.means.card is not None and m.means.card.from_map for m in profile.messages):
        return {}
    if wish.cards is None:
        raise ShoedError("missing-key", f"Devices of {profile.name} tell tags, and no card map says which.", "Name one with --cards.")
    if not wish.cards.exists():
        decks = range(max(1, wish.decks))
        lines = [f'"{0x04000000 + (deck << 8) + card.code:08X}" = "{card.name}"' for deck in decks for card in FRENCH_CARDS]
        wish.cards.write_text("\n".join(["[cards]", *lines]) + "\n", encoding="utf-8")
    try:
        by_tag = read_card_map(wish.cards, wish.cards, "cards")
    except ConfigError as error:
        raise ShoedError(error.code, error.what, error.do) from error
    return {name: tuple(tag for tag, card in by_tag.items() if card == name) for name in set(by_tag.values())}


async def _serve(
    profile: PlainProfile,
    tags: Mapping[str, tuple[str, ...]],
    wish: Wish,
    write_object: WriteObject,
    write_text: Callable[[str], None],
) -> None:
    ended, loop = asyncio.Event(), asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, ended.set)
    if wish.link_dir is not None:
        wish.link_dir.mkdir(parents=True, exist_ok=True)
    bus = await _open_bus(wish)
    device = PlainDevice(
        PlainSettings(
            profile=profile,
            usb=bus,
            name=wish.serial,
            seed=wish.seed,
            factor=wish.speed,
            faults=wish.faults,
            link_dir=wish.link_dir,
            tcp=address_of(wish.tcp),
            rfc2217=address_of(wish.rfc2217),
            weak=weak_cards(wish),
            tags=tags,
        )
    )
    device.load(cards_of(wish))
    try:
        await device.start()
    except OSError as error:
        raise ShoedError("cannot-listen", f"The port cannot be opened: {error.strerror}.", "Choose another.") from error
    drawing = loop.create_task(_keep_drawing(device, wish.draw_every_s, wish)) if wish.draw_every_s is not None else None
    deeds: set[asyncio.Task[None]] = set()
    try:
        _say_port(device, wish, write_object, write_text)
        listen(loop, lambda word: _do(device, word, write_text, deeds), ended)
        await ended.wait()
    finally:
        for task in (*deeds, *([drawing] if drawing is not None else [])):
            task.cancel()
        await device.stop()
        if bus is not None:
            await bus.close()


async def _open_bus(wish: Wish) -> UsbBus | None:
    address = address_of(wish.usb)
    if address is None:
        return None
    bus = UsbBus(*address)
    try:
        await bus.open()
    except OSError as error:
        raise ShoedError("cannot-listen", f"The USB/IP server cannot listen: {error.strerror}.", "Choose another port.") from error
    return bus


def _say_port(device: PlainDevice, wish: Wish, write_object: WriteObject, write_text: Callable[[str], None]) -> None:
    if write_object is not None:
        write_object({"port": device.url, "profile": wish.profile, "kind": wish.kind, "serial": wish.serial})
    else:
        write_text(device.url)
        write_text(f"a simulated device speaking {wish.profile}, {len(device.stack)} cards inside; words: {', '.join(WORDS)}")
    sys.stdout.flush()


async def _keep_drawing(device: PlainDevice, every_s: float, wish: Wish) -> None:
    while True:
        await asyncio.sleep(every_s)
        if wish.test_deck is not None and not len(device.stack):
            device.load(cards_of(wish))
        device.draw()


def _do(device: PlainDevice, line: str, write_text: Callable[[str], None], deeds: set[asyncio.Task[None]]) -> None:
    word, *rest = line.split()[:40] or [""]
    match word:
        case "draw":
            write_text("draw: drawn" if device.draw() else "draw: locked, empty, or no reader of cards")
        case "cut-card":
            device.stack.put_on_top(cut_card())
        case "cut-line":
            device.cut_line()
        case "power-cycle":
            device.restart()
        case "unplug" | "plug-in":
            deed = asyncio.get_running_loop().create_task(device.unplug() if word == "unplug" else device.plug_in())
            deeds.add(deed)
            deed.add_done_callback(deeds.discard)
        case "say" if rest:
            _say(device, rest, write_text)
        case "":
            pass
        case _:
            write_text(f"words: {', '.join(WORDS)}")
    sys.stdout.flush()


def _say(device: PlainDevice, words: list[str], write_text: Callable[[str], None]) -> None:
    name, *pairs = words
    values: dict[str, Plain] = {}
    for pair in pairs:
        field, _, value = pair.partition("=")
        values[field] = int(value) if value.isascii() and value.isdigit() else value
    try:
        device.say(name, values)
    except FieldError as error:
        write_text(f"say: {error}")
