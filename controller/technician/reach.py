"""How a device is reached without a table: port, profile, rate, and what is known of the one that should answer.

The profile says at which rate its devices speak; an address that names one, or `baud`, overrules it. Nothing is opened here.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

import msgspec

from controller.errors import as_sentence
from controller.service.bus_lines import choices_at
from controller.service.config import Place
from controller.service.device_plan import line_choices as plain_choices
from controller.service.device_plan import serial_settings
from controller.service.relay import RelayPlace
from controller.service.sdp1_link import line_choices as sdp1_choices
from controller.technician.errors import TechnicianError
from controller.technician.relayed_line import RelayedLine
from device_profiles.errors import ProfileError, UnknownProfileError
from device_profiles.schema import Role
from device_profiles.shelf import ProfileShelf
from firmware_bridge.codec import ROLE_NUMBERS, Codec, load_codec
from firmware_bridge.device import line_of
from firmware_bridge.link.frames import POINT_TO_POINT
from firmware_bridge.plain.codec import PlainCodec
from firmware_bridge.plain.session import PlainSession
from firmware_bridge.plain.settings import PlainSettings
from firmware_bridge.seal import DeviceKey
from firmware_bridge.session.handshake import HostSettings
from firmware_bridge.session.host import HostSession
from firmware_bridge.transport.address import open_transport, with_baud
from firmware_bridge.transport.base import Transport
from firmware_bridge.transport.bus import BusLine
from firmware_bridge.transport.serial import DEFAULTS
from firmware_bridge.transport.settings import SerialSettings
from firmware_bridge.transport.usb_profile import usb_settings

AnyCodec = Codec | PlainCodec
AnySession = HostSession | PlainSession
WHERE_TO_LOOK: Final = "`shoed profile list` lists them; those of a directory of your own want --profiles DIRECTORY too."
MEND: Final = "Correct that place, then try `shoed profile check FILE`."


class Reach(msgspec.Struct, frozen=True, kw_only=True):
    """One device on one port."""

    port: str
    """An address of a transport, or a path."""
    profile: str = "sdp1"
    serial: str | None = None
    """Only the device with this serial number is spoken to."""
    address: int = POINT_TO_POINT
    """Of the device, where several share the line."""
    profiles: Path | None = None
    """A directory of further profiles."""
    baud: int | None = None
    settings: SerialSettings | None = None
    """Of the line, instead of the profile's."""
    key: DeviceKey | None = None
    """Of a sealed line; belongs to `role`."""
    role: Role = Role.OPERATOR
    may_write: bool = False
    """Grants writing to a device whose profile is read-only."""
    line: RelayPlace | None = None
    """Where a daemon lends the device's place on a line that it keeps; then the port is not opened here."""
    takes_events: bool = False
    """Asks for events, which acknowledges the ones before: only where they are stored."""


def codec_of(profile: str, profiles: Path | None = None) -> AnyCodec:
    """Return a profile at work; `profiles` is a directory of further ones.

    Raises:
        TechnicianError: there is none of this name, or it cannot be used.
    """
    try:
        shelf = ProfileShelf(profiles)
        if shelf.is_plain(profile):
            return PlainCodec(shelf.plain(profile))
        return Codec(shelf.sdp1(profile)) if shelf.is_own(profile) else load_codec(profile)
    except UnknownProfileError as error:
        raise TechnicianError("no-such-profile", as_sentence(str(error)), WHERE_TO_LOOK) from error
    except ProfileError as error:
        raise TechnicianError("profile-not-in-order", as_sentence(str(error)), MEND) from error


def settings_at(reach: Reach, codec: AnyCodec) -> tuple[SerialSettings, ...]:
    """Return the settings that the device's line may have, the usual one first; none where the line has none, or they were said."""
    place = Place(reach.port, address=reach.address)
    if reach.baud is not None or reach.settings is not None or reach.address:
        return ()
    if isinstance(codec, PlainCodec):
        serial = codec.profile.line.serial
        return () if serial is None else choices_at(place, plain_choices(serial))
    return choices_at(place, sdp1_choices(codec.profile.serial))


def transport_of(reach: Reach, codec: AnyCodec) -> Transport:
    """Return the closed transport to the device.

    Raises:
        TransportError: the address names none.
        TechnicianError: devices of this profile have no address on a line.
    """
    if reach.line is not None:
        return RelayedLine(reach.line)
    if reach.address == POINT_TO_POINT:
        return _whole_line(reach, codec)
    if isinstance(codec, PlainCodec):
        what = f"Devices of {codec.profile.name} have no address on a line that they share."
        raise TechnicianError("no-addresses", what, "Leave --address out.")
    return BusLine(lambda: _whole_line(reach, codec), codec.profile.framing, (reach.address,)).taps[reach.address]


def _whole_line(reach: Reach, codec: AnyCodec) -> Transport:
    usual, usb = DEFAULTS, None
    if reach.settings is not None:
        usual = reach.settings
    elif isinstance(codec, PlainCodec):
        usual = DEFAULTS if codec.profile.line.serial is None else serial_settings(codec.profile.line.serial)
    if isinstance(codec, PlainCodec):
        usb = usb_settings(codec.profile)
    return open_transport(reach.port if reach.baud is None else with_baud(reach.port, reach.baud), usual, usb)


def session_of(reach: Reach, codec: AnyCodec, transport: Transport) -> AnySession:
    """Return the session that speaks to it; it holds no event number, since nothing of it is kept."""
    if isinstance(codec, PlainCodec):
        plain = PlainSettings(line=line_of(transport), expected_serial=reach.serial, may_write=reach.may_write)
        return PlainSession(codec, plain)
    settings = HostSettings(
        line=line_of(transport),
        expected_serial=reach.serial,
        device_key=reach.key,
        role=ROLE_NUMBERS[reach.role],
        address=reach.address,
        takes_events=reach.takes_events,
    )
    return HostSession(codec, settings, os.urandom)
