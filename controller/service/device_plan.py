"""From a configured device to the way it is reached: SDP/1 or a foreign protocol, by its profile.

Everything that can be wrong about it is told here, before a port is opened: an unknown profile, a line that its profile does not know, a
key or a card map that cannot be read, a serial number that the device could never tell.
"""

from __future__ import annotations

import time
from typing import Final

import msgspec

from controller.service.bus_lines import BusLines, choices_at
from controller.service.capturing import CaptureBounds, LineCapture
from controller.service.card_map import read_card_map
from controller.service.config import SERIAL_WORDS, DeviceConfig, Setup
from controller.service.errors import ConfigError
from controller.service.habits import SDP1, Habits
from controller.service.line_search import Made, link_at
from controller.service.link import Consumer, DeviceLink, Link, LinkMaker
from controller.service.sdp1_link import link_maker
from controller.service.usb_ports import is_usb
from device_profiles.plain.profile import LineSettings, PlainProfile, TransportKind
from device_profiles.schema import About
from device_profiles.shelf import ProfileShelf
from firmware_bridge.capture.tap import Tap, TappedTransport
from firmware_bridge.codec import Codec, load_codec
from firmware_bridge.device import Device, line_of
from firmware_bridge.plain.abilities import (
    capabilities_of,
    checks_frames,
    commands_of,
    may_write,
    notices_gaps,
    tells_repeats,
    tells_serial,
)
from firmware_bridge.plain.codec import PlainCodec
from firmware_bridge.plain.session import PlainSession
from firmware_bridge.plain.settings import PlainSettings
from firmware_bridge.reports import Capability, StatusReport
from firmware_bridge.transport.base import Transport
from firmware_bridge.transport.bus import BusTap
from firmware_bridge.transport.rfc2217 import Rfc2217Transport
from firmware_bridge.transport.serial import DEFAULTS, SerialTransport
from firmware_bridge.transport.settings import Parity, SerialSettings
from firmware_bridge.transport.tcp import TcpTransport
from firmware_bridge.transport.usb import UsbTransport
from firmware_bridge.transport.usb_profile import usb_settings

CARRIED_BY: Final[tuple[tuple[type[Transport], tuple[TransportKind, ...]], ...]] = (
    (Rfc2217Transport, (TransportKind.SERIAL, TransportKind.TCP)),  # a serial line, and a network in between
    (TcpTransport, (TransportKind.TCP,)),
    (SerialTransport, (TransportKind.SERIAL,)),
    (UsbTransport, (TransportKind.USB_BULK, TransportKind.USB_HID)),
)
"""Which words of a profile each kind of port answers to; the first class that fits counts."""


class DevicePlan(msgspec.Struct, frozen=True):
    """How a configured device is reached, and what its protocol gives."""

    make: LinkMaker
    capture: LineCapture
    habits: Habits = SDP1
    cannot: tuple[str, ...] = ()
    """What its profile says that it cannot do, in the operator's words."""
    can: tuple[Capability, ...] = ()
    """Its abilities, where its profile alone tells them."""
    about: About | None = None
    """How its protocol is known, and for which firmware."""
    shared: BusTap | None = None
    """Its place on a line that it shares."""


def plan_device(setup: Setup, table_id: str, device: DeviceConfig, shelf: ProfileShelf, lines: BusLines) -> DevicePlan:
    """Return how a configured device of a table is reached.

    Raises:
        ConfigError: its key or card map cannot be read, or its profile does not know such a port.
        ProfileError: its profile cannot be used.
        TransportError: its port's address is none.
    """
    key, capture = f"table.{table_id}.device.{device.name}", capture_of(setup, table_id, device)
    if device.profile in shelf.names() and not shelf.is_plain(device.profile):
        codec = Codec(shelf.sdp1(device.profile)) if shelf.is_own(device.profile) else load_codec(device.profile)
        _verify_sdp1_keys(setup, key, device)
        make = link_maker(setup, device, codec, lines, capture.hear)
        return DevicePlan(make, capture, about=codec.profile.about, shared=lines.place_of(device))
    profile = shelf.plain(device.profile)
    verify_keys(setup, key, device, profile)
    if setup.place_of(device).bus:
        what = f"names a bus, and devices of {profile.name} have no address: each wants a line of its own"
        raise ConfigError("wrong-line", setup.file, f"{key}.port", what, "name the port that it alone is plugged into")
    can = capabilities_of(profile, may_write=may_write(profile, granted=device.write))
    make = _plain_maker(setup, key, device, PlainCodec(profile), lines, capture.hear)
    return DevicePlan(make, capture, _habits(device, profile), profile.cannot, can, profile.about)


def capture_of(setup: Setup, table_id: str, device: DeviceConfig) -> LineCapture:
    """Return the capture of a device's line, which is off unless the configuration says otherwise."""
    kept = device.capture
    bounds = CaptureBounds(
        folder=setup.path_of(setup.config.captures.directory) / table_id / device.name,
        name=f"{table_id}/{device.name}",
        profile=device.profile,
        most_bytes=kept.most_mb * 1_000_000,
        most_s=kept.most_hours * 3600,
    )
    return LineCapture(bounds, on=kept.on)


def line_choices(told: LineSettings) -> tuple[SerialSettings, ...]:
    """Return the line settings of a profile, the usual ones first."""
    usual, choices = serial_settings(told), []
    for variant in told.alternatives:
        if isinstance(variant, int):
            choices.append(msgspec.structs.replace(usual, baud=variant))
            continue
        named = {key: value for key, value in msgspec.structs.asdict(variant).items() if value is not None}
        if variant.parity is not None:
            named["parity"] = Parity(variant.parity.value)
        choices.append(msgspec.structs.replace(usual, **named))
    return (usual, *choices)


def serial_settings(told: LineSettings) -> SerialSettings:
    """Return the line settings of a profile."""
    return SerialSettings(
        baud=told.baud, data_bits=told.data_bits, parity=Parity(told.parity.value), stop_bits=told.stop_bits, rs485=told.rs485,
        dtr=told.dtr is not False, rts=told.rts is not False,
    )  # fmt: skip


def _habits(device: DeviceConfig, profile: PlainProfile) -> Habits:
    writes = may_write(profile, granted=device.write)
    return Habits(
        takes=commands_of(profile, may_write=writes),
        keeps_events=False,
        notices_gaps=notices_gaps(profile),
        own_events=False,
        tells_serial=tells_serial(profile, granted=device.write),
        checks_frames=checks_frames(profile) or is_usb(device.port),  # the bus checks every packet, and sends a damaged one again
        tells_repeats=tells_repeats(profile),
    )


def _plain_maker(setup: Setup, key: str, device: DeviceConfig, codec: PlainCodec, lines: BusLines, tap: Tap) -> LinkMaker:
    told = codec.profile.line.serial
    choices = choices_at(setup.place_of(device), (DEFAULTS,) if told is None else line_choices(told))
    open_line = lines.opener_of(device, None, choices[0], usb_settings(codec.profile))
    verify_line(setup, key, codec.profile, open_line(choices[0]))
    cards = {} if device.cards is None else read_card_map(setup.path_of(device.cards), setup.file, f"{key}.cards")

    async def read_status(bridge: Device) -> StatusReport | None:
        return None  # it cannot be asked

    asks = may_write(codec.profile, granted=device.write) and bool(codec.profile.connect.said or codec.profile.poll)

    def device_at(usual: SerialSettings, first_wanted: int, consumer: Consumer) -> Made:
        transport = open_line(usual)
        settings = PlainSettings(
            line=line_of(transport), expected_serial=device.serial, first_wanted=first_wanted, may_write=device.write, cards=cards
        )
        session = PlainSession(codec, settings)
        heard = TappedTransport(transport, tap)
        bridge = Device(device.name, heard, session, consumer, clock=time.monotonic, waits=False)
        return Made(bridge, DeviceLink(bridge, read_status), lambda: session.frames_heard)

    def make(first_wanted: int, consumer: Consumer) -> Link:
        return link_at(device_at, choices, first_wanted, consumer, asks=asks, keeps_events=False)

    return make


def verify_line(setup: Setup, key: str, profile: PlainProfile, transport: Transport) -> None:
    """Check that devices of a profile are reached by such a port."""
    carried = next((kinds for made, kinds in CARRIED_BY if isinstance(transport, made)), ())
    if not set(carried) & set(profile.line.kinds):
        kinds = " or ".join(kind.value for kind in profile.line.kinds)
        what = f"is a {carried[0].value if carried else 'foreign'} port, and devices of {profile.name} are reached by {kinds}"
        raise ConfigError("wrong-line", setup.file, f"{key}.port", what, "name the port of such a device, or correct the profile")


def _verify_sdp1_keys(setup: Setup, key: str, device: DeviceConfig) -> None:
    """Check a device of a profile of the house's own that speaks SDP/1; for the product's, the configuration did."""
    if device.serial is None:
        raise ConfigError("missing-key", setup.file, f"{key}.serial", "is missing", f"write serial = {SERIAL_WORDS}")
    for name, given in (("write", device.write), ("cards", device.cards is not None)):
        if given:
            what = "is for devices of foreign protocols, and this one speaks SDP/1"
            raise ConfigError("key-without-use", setup.file, f"{key}.{name}", what, "leave it out, or name the device's profile")


def verify_keys(setup: Setup, key: str, device: DeviceConfig, profile: PlainProfile) -> None:
    """Check that what is configured can have an effect; a promise that the device cannot keep is none."""
    if device.security:
        what = "is more than a foreign protocol gives: it knows no sealed sessions"
        raise ConfigError("no-such-security", setup.file, f"{key}.security", what, "set security = 0")
    by_tags = any(
        message.means is not None and message.means.card is not None and message.means.card.from_map for message in profile.messages
    )
    if by_tags and device.cards is None:
        what = f"is missing: devices of {profile.name} tell tags, and only a card map says which card carries which tag"
        raise ConfigError("missing-key", setup.file, f"{key}.cards", what, 'write cards = "map.toml"')
    if device.cards is not None and not by_tags:
        raise ConfigError(
            "key-without-use", setup.file, f"{key}.cards", f"is for readers of tags, and {profile.name} tells cards", "leave it out"
        )
