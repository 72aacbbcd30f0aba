"""How a configured device of SDP/1 is linked: its key, its port or its place on a bus, the settings that its line may have."""

from __future__ import annotations

import os
import time

from controller.service.bus_lines import BusLines, choices_at
from controller.service.config import DeviceConfig, Setup
from controller.service.errors import ConfigError
from controller.service.line_search import Made, link_at
from controller.service.link import Consumer, DeviceLink, Link, LinkMaker, read_device_key
from device_profiles.schema import SerialLine
from firmware_bridge.capture.tap import Tap, TappedTransport
from firmware_bridge.codec import Codec
from firmware_bridge.commands import Request
from firmware_bridge.device import Device, line_of
from firmware_bridge.events import Status
from firmware_bridge.reports import StatusReport
from firmware_bridge.seal import DeviceKey
from firmware_bridge.session.handshake import HostSettings
from firmware_bridge.session.host import HostSession
from firmware_bridge.session.outputs import CommandAnswered
from firmware_bridge.transport.settings import Parity, SerialSettings


def line_choices(told: SerialLine) -> tuple[SerialSettings, ...]:
    """Return the line settings of a profile of SDP/1, the usual one first."""
    return tuple(
        SerialSettings(baud=baud, data_bits=told.data_bits, parity=Parity(told.parity), stop_bits=told.stop_bits)
        for baud in (told.baud, *told.baud_alternatives)
    )


def link_maker(setup: Setup, device: DeviceConfig, codec: Codec, lines: BusLines, tap: Tap) -> LinkMaker:
    """Return what makes links to a device of SDP/1; `tap` hears their bytes.

    Raises:
        ConfigError: when its key cannot be read, or its port names no bus.
        TransportError: when its port's address is none.
    """
    key = None if device.key_file is None else DeviceKey(_read_key(setup, device))
    place = setup.place_of(device)
    choices = choices_at(place, line_choices(codec.profile.serial))
    open_line = lines.opener_of(device, codec.profile.framing, choices[0])

    async def read_status(bridge: Device) -> StatusReport | None:
        answer = await bridge.command(Request("status"))
        return codec.status_of(answer.fields) if isinstance(answer, CommandAnswered) and answer.status is Status.OK else None

    def device_at(usual: SerialSettings, first_wanted: int, consumer: Consumer) -> Made:
        transport = open_line(usual)
        settings = HostSettings(
            line=line_of(transport), expected_serial=device.serial, device_key=key, first_wanted=first_wanted, address=place.address
        )
        session = HostSession(codec, settings, os.urandom)
        bridge = Device(device.name, TappedTransport(transport, tap), session, consumer, clock=time.monotonic)
        return Made(bridge, DeviceLink(bridge, read_status), lambda: session.counters.frames_in)

    def make(first_wanted: int, consumer: Consumer) -> Link:
        return link_at(device_at, choices, first_wanted, consumer, asks=True, keeps_events=True)

    return make


def _read_key(setup: Setup, device: DeviceConfig) -> bytes:
    path = setup.path_of(device.key_file or "")
    try:
        return read_device_key(path)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it does not hold a key of 32 hexadecimal digits"
        raise ConfigError(
            "device-key-unreadable",
            setup.file,
            f"{setup.key_of(device)}.key_file",
            f"the key file {path} cannot be used: {reason}",
            "put the device's key there as 32 hexadecimal digits, readable by this account alone",
        ) from error
