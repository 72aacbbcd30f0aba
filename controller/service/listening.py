"""How a device is reached in shadow mode: by an ear on its line, which cannot write.

A device of kind `host` is no device but the other direction of the line: what the other host says.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

from controller.service.card_map import read_card_map
from controller.service.config import DeviceConfig, DeviceKind, Setup
from controller.service.device_plan import DevicePlan, capture_of, serial_settings, verify_keys, verify_line
from controller.service.habits import Habits
from controller.service.link import Consumer, DeviceLink, Link, LinkMaker
from device_profiles.plain.frames import Way
from device_profiles.plain.profile import PlainProfile
from device_profiles.shelf import ProfileShelf
from firmware_bridge.capture.tap import Tap, TappedTransport
from firmware_bridge.codec import Codec, load_codec
from firmware_bridge.device import Device, line_of
from firmware_bridge.ear.plain import PlainHostEar
from firmware_bridge.ear.sdp1 import DeviceEar, HostEar
from firmware_bridge.link.line import Line
from firmware_bridge.plain.abilities import capabilities_of, checks_frames, notices_gaps, tells_repeats
from firmware_bridge.plain.codec import PlainCodec
from firmware_bridge.plain.session import PlainSession
from firmware_bridge.plain.settings import PlainSettings
from firmware_bridge.reports import StatusReport
from firmware_bridge.session.contract import Session
from firmware_bridge.transport.address import open_transport
from firmware_bridge.transport.serial import DEFAULTS
from firmware_bridge.transport.settings import SerialSettings

UNHEARD: Final = "What passes while nobody listens is told to nobody."
EarMaker = Callable[[Line, int], Session]
"""Makes an ear for a line, given the number of the first event that is wanted."""
HEARS_SDP1: Final = Habits(takes=frozenset(), listens=True, tells_serial=False)
"""What was missed shows by the numbers of its events; its serial number, when the other host asks for it."""


def plan_listening(setup: Setup, table_id: str, device: DeviceConfig, shelf: ProfileShelf, tap: Tap) -> DevicePlan:
    """Return how a device is listened to; raises as `plan_device`."""
    key, capture = f"table.{table_id}.device.{device.name}", capture_of(setup, table_id, device)

    def heard(way: Way, chunk: bytes) -> None:
        tap(way, chunk)
        capture.hear(way, chunk)

    if device.profile in shelf.names() and not shelf.is_plain(device.profile):
        codec = Codec(shelf.sdp1(device.profile)) if shelf.is_own(device.profile) else load_codec(device.profile)
        return DevicePlan(_sdp1_maker(setup, device, codec, heard), capture, HEARS_SDP1, (UNHEARD,), about=codec.profile.about)
    profile = shelf.plain(device.profile)
    verify_keys(setup, key, device, profile)
    can = capabilities_of(profile, may_write=False)
    make = _plain_maker(setup, key, device, PlainCodec(profile), heard)
    return DevicePlan(make, capture, _habits(device, profile), profile.cannot, can, profile.about)


def _habits(device: DeviceConfig, profile: PlainProfile) -> Habits:
    return Habits(
        takes=frozenset(),
        listens=True,
        keeps_events=device.kind is DeviceKind.HOST,  # its orders have no numbers to miss
        notices_gaps=notices_gaps(profile),
        own_events=False,
        tells_serial=False,
        checks_frames=checks_frames(profile),
        tells_repeats=tells_repeats(profile),
    )


def _sdp1_maker(setup: Setup, device: DeviceConfig, codec: Codec, tap: Tap) -> LinkMaker:
    def ear(line: Line, first_wanted: int) -> Session:
        if device.kind is DeviceKind.HOST:
            return HostEar(codec, line, first_wanted)
        return DeviceEar(codec, line, first_wanted, device.serial)

    return _maker(setup, device, DEFAULTS, tap, ear)


def _plain_maker(setup: Setup, key: str, device: DeviceConfig, codec: PlainCodec, tap: Tap) -> LinkMaker:
    told = codec.profile.line.serial
    usual = DEFAULTS if told is None else serial_settings(told)
    verify_line(setup, key, codec.profile, open_transport(setup.port_of(device), usual))
    cards = {} if device.cards is None else read_card_map(setup.path_of(device.cards), setup.file, f"{key}.cards")

    def ear(line: Line, first_wanted: int) -> Session:
        if device.kind is DeviceKind.HOST:
            return PlainHostEar(codec, line, first_wanted)
        return PlainSession(codec, PlainSettings(line=line, first_wanted=first_wanted, cards=cards, listens_only=True))

    return _maker(setup, device, usual, tap, ear)


def _maker(setup: Setup, device: DeviceConfig, usual: SerialSettings, tap: Tap, ear: EarMaker) -> LinkMaker:
    open_transport(setup.port_of(device), usual).listen_only()  # a port that cannot be listened to shall be told now

    async def read_status(bridge: Device) -> StatusReport | None:
        return None  # it cannot be asked

    def make(first_wanted: int, consumer: Consumer) -> Link:
        transport = open_transport(setup.port_of(device), usual)
        transport.listen_only()
        session = ear(line_of(transport), first_wanted)
        bridge = Device(device.name, TappedTransport(transport, tap), session, consumer, clock=time.monotonic, waits=False)
        return DeviceLink(bridge, read_status)

    return make
