"""The daemon's configuration: its keys, their meaning, and where it says that things are to be found.

One TOML file configures one daemon with one or several tables. `controller.service.config_file` reads and checks it.

Paths are relative to the configuration file's own directory. A port is an address of a transport, or a bare name in
the directory of links (`[ports] links`): links are named after the adapter and its interface, `ttyUSB0` after the order
of plugging in. `adapter://` names the adapter itself by its serial number.
"""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import Annotated, Final, Literal
from urllib.parse import quote

import msgspec

from controller.service.config_captures import CaptureConfig, CapturesConfig
from controller.service.errors import ConfigError
from controller.service.persons import PersonConfig
from controller.service.strict import needs, shown
from controller.service.usb_config import UsbConfig
from controller.table.following import Words
from firmware_bridge.link.frames import BUS_ADDRESS_MAX, POINT_TO_POINT
from firmware_bridge.transport.adapters import DEFAULT_LINKS

NAME_PATTERN: Final = r"^[A-Za-z0-9][A-Za-z0-9._-]{0,31}$"
"""Names go into addresses of the API, metrics and the journal, where neither blanks nor quotes may stand."""

ADAPTER: Final = "adapter://"
"""Begins the address of a serial adapter by its serial number."""

BUS_SCHEME: Final = "bus://"

SDP1_PROFILE: Final = "sdp1"
"""The profile whose devices always tell who they are."""

SERIAL_WORDS: Final = "the serial number on the device's plate, in quotes"

_NAME_WORDS: Final = "a name of at most 32 letters, digits, dots, dashes and underscores, in quotes"


class DeviceKind(Enum):
    """What a device is for at the table."""

    SHOE = "shoe"
    SHUFFLER = "shuffler"
    HOST = "host"


class Mode(Enum):
    """Who deals at a table: shoed, or another host that it listens beside."""

    ENFORCE = "enforce"
    SHADOW = "shadow"


class LogFormat(Enum):
    """How log lines are written."""

    AUTO = "auto"
    JSON = "json"
    PRETTY = "pretty"


class DeviceConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One device of a table."""

    name: Annotated[str, needs(_NAME_WORDS, "How the journal and the API name the device, such as `shoe`.", pattern=NAME_PATTERN)]
    kind: Annotated[
        DeviceKind,
        needs(
            '"shoe", "shuffler" or "host"',
            "What it does: a shoe gives cards, a shuffler makes them ready; in shadow mode `host` is what the other host says to the shoe.",
        ),
    ]
    profile: Annotated[str, needs('the name of a profile, such as "sdp1"', "The device profile that its protocol is described by.")] = (
        SDP1_PROFILE
    )
    port: Annotated[
        str,
        needs(
            'a name in the directory of links, "adapter://SERIAL?interface=0", "usb://1209:5d01", a path, "tcp://host:port", '
            '"rfc2217://host:port" or "bus://NAME/ADDRESS"',
            "Where it is plugged in. A bare name is looked up in `[ports] links`; `bus://` names a `[[bus]]` and the address there.",
            min_length=1,
        ),
    ]
    serial: Annotated[
        Annotated[str, msgspec.Meta(min_length=1, max_length=64)] | None,
        needs(
            SERIAL_WORDS,
            "The one device that may answer here; any other is refused (EQ-51, EQ-94). Devices of foreign protocols need none, and "
            "most cannot tell theirs: then it is not compared, which is said at the start.",
        ),
    ] = None
    security: Annotated[
        Literal[0, 1],
        needs("0 (open) or 1 (sealed)", "The security level that this table demands of it (SDP/1 1.9)."),
    ] = 0
    key_file: Annotated[
        str | None,
        needs("the path of a file with 32 hexadecimal digits", "The device's operator key, for security level 1."),
    ] = None
    write: Annotated[
        bool,
        needs("true or false", "Grants writing to a device of a foreign protocol whose profile only listens."),
    ] = False
    capture: Annotated[CaptureConfig, needs("a table", "What is recorded of its line, and how much of it is kept.")] = CaptureConfig()
    cards: Annotated[
        str | None,
        needs("the path of a card map", "Which card carries which tag, for readers of tagged cards: a TOML file with a table `[cards]`."),
    ] = None


class TableConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One table: a game, a dealing method, house settings, devices."""

    id: Annotated[str, needs(_NAME_WORDS, "The table's name, such as `T12`.", pattern=NAME_PATTERN)]
    game: Annotated[str, needs('the key of a game, such as "colorado-hold-em-poker"', "The game that is dealt.")]
    method: Annotated[str, needs('"manual-shoe", "hand" or "automated-shoe"', "The dealing method; the game says which it allows.")]
    house: Annotated[
        dict[str, object],
        needs("a table of house settings", "What the house decides: `shoed games settings GAME` lists the names."),
    ] = {}
    mode: Annotated[
        Mode,
        needs('"enforce" or "shadow"', "`shadow`: another host deals; nothing is ever written to a device, and everything is judged."),
    ] = Mode.ENFORCE
    rounds: Annotated[
        Words | None,
        needs('"line", "cards" or "people"', "In shadow mode, who tells where rounds begin; else the first that game and device allow."),
    ] = None
    device: Annotated[tuple[DeviceConfig, ...], needs("a list of tables", "The devices of the table, one `[[table.device]]` each.")] = ()


class JournalConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Where every fact is kept."""

    path: Annotated[str, needs("a path in quotes", "The journal's file; made at the first start.", min_length=1)]
    key_file: Annotated[
        str,
        needs(
            "the path of a key file",
            "The journal's keys, made once with `shoed journal keys PATH`. Keep them on another disk.",
            min_length=1,
        ),
    ]


class ApiConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The local HTTP API."""

    host: Annotated[str, needs('"127.0.0.1" or "::1"', "The address it listens on: this machine's own only.")] = "127.0.0.1"
    port: Annotated[int, needs("a number from 0 to 65535", "Its port; 0 takes a free one, told in `port_file`.", ge=0, le=65535)] = 0
    port_file: Annotated[str | None, needs("a path in quotes", "A file that the port's number is written to while the daemon runs.")] = None
    token_file: Annotated[str, needs("a path in quotes", "The file of the token that requests must bear; made at the first start.")] = (
        "api.token"  # noqa: S105  # a file's name, not a token
    )


class PortsConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How ports are found."""

    links: Annotated[str, needs("a directory in quotes", "The directory of links that name each adapter.", min_length=1)] = DEFAULT_LINKS


class BusConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One line that several devices share (RS-485). A device on it has the port `bus://NAME/ADDRESS`."""

    name: Annotated[str, needs(_NAME_WORDS, "The line's name, such as `rail`.", pattern=NAME_PATTERN)]
    port: Annotated[
        str,
        needs(
            'a name in the directory of links, a path, or "tcp://host:port"',
            "Where the line is plugged in, as the `port` of a device that has one for itself.",
            min_length=1,
        ),
    ]


class ProfilesConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Profiles of devices beside those of the product."""

    directory: Annotated[
        str | None,
        needs("a directory in quotes", "A directory of profiles of foreign devices; each file's name is a profile's name with `.toml`."),
    ] = None


class LogConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The log: what is unusual. The record of what happened is the journal."""

    format: Annotated[
        LogFormat,
        needs('"auto", "json" or "pretty"', "`auto` is pretty at a terminal and one JSON object per line elsewhere."),
    ] = LogFormat.AUTO
    level: Annotated[
        Literal["debug", "info", "warning", "error"],
        needs('"debug", "info", "warning" or "error"', "The least level that is written."),
    ] = "info"
    file: Annotated[str | None, needs("a path in quotes", "A file instead of standard error; SIGHUP opens it anew.")] = None


class ServiceConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The daemon's own life."""

    stop_s: Annotated[
        float,
        needs(
            "seconds from 0.5 to 4.5",
            "How long stopping may take: gates are locked and the journal is closed within it.",
            ge=0.5,
            le=4.5,
        ),
    ] = 4.0
    program_sha256: Annotated[
        str,
        needs(
            "64 hexadecimal digits, or nothing",
            "The digest that the installed program must have; `shoed doctor` prints the present one (EQ-98).",
            pattern="^([0-9a-f]{64})?$",
        ),
    ] = ""


class Config(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The whole file."""

    config: Annotated[Literal[1], needs("1", "The version of this format.")]
    journal: Annotated[JournalConfig, needs("a table", "Where every fact is kept.")]
    table: Annotated[tuple[TableConfig, ...], needs("a list of tables", "The tables of this daemon.")]
    api: Annotated[ApiConfig, needs("a table", "The local HTTP API.")] = ApiConfig()
    bus: Annotated[tuple[BusConfig, ...], needs("a list of tables", "Lines that several devices share, one `[[bus]]` each.")] = ()
    ports: Annotated[PortsConfig, needs("a table", "How ports are found.")] = PortsConfig()
    usb: Annotated[UsbConfig, needs("a table", "Which USB devices this machine may have.")] = UsbConfig()
    profiles: Annotated[ProfilesConfig, needs("a table", "Profiles of devices beside those of the product.")] = ProfilesConfig()
    person: Annotated[tuple[PersonConfig, ...], needs("a list of tables", "Who proves himself by a code for diagnostic mode.")] = ()
    captures: Annotated[CapturesConfig, needs("a table", "Where captures of lines are kept.")] = CapturesConfig()
    log: Annotated[LogConfig, needs("a table", "The log.")] = LogConfig()
    service: Annotated[ServiceConfig, needs("a table", "The daemon's own life.")] = ServiceConfig()


class Place(msgspec.Struct, frozen=True):
    """A port, and the address of one device where several share it."""

    port: str
    bus: str = ""
    address: int = POINT_TO_POINT


class Setup(msgspec.Struct, frozen=True):
    """A configuration with the file it came from; turns the paths in it into real ones."""

    file: Path
    config: Config

    def owners(self) -> dict[str, str]:
        """Return whose device has which serial number, in words."""
        return {
            device.serial: f"the {device.name} of table {table.id}"
            for table in self.config.table
            for device in table.device
            if device.serial is not None
        }

    def path_of(self, text: str) -> Path:
        """Return a path of the file, relative ones beside the file."""
        return self.file.parent / Path(text)

    def port_of(self, device: DeviceConfig | BusConfig) -> str:
        """Return the transport's address of a port; an adapter's says in which directory of links it is looked for."""
        if device.port.startswith(ADAPTER) and "links=" not in device.port:
            links = str(self.path_of(self.config.ports.links))
            sign = "&" if "?" in device.port else "?"
            return device.port if links == DEFAULT_LINKS else f"{device.port}{sign}links={quote(links)}"
        if "/" not in device.port:
            return str(self.path_of(self.config.ports.links) / device.port)
        return device.port if "://" in device.port else str(self.path_of(device.port))

    def key_of(self, device: DeviceConfig) -> str:
        """Return the path of a device's keys in the file."""
        table = next(table for table in self.config.table if any(one is device for one in table.device))
        return f"table.{table.id}.device.{device.name}"

    def place_of(self, device: DeviceConfig) -> Place:
        """Return where a device is to be found: the port that is opened, and its address there.

        Raises:
            ConfigError: its port names no bus, or no address of one.
        """
        if not device.port.startswith(BUS_SCHEME):
            return Place(self.port_of(device))
        name, _, address = device.port.removeprefix(BUS_SCHEME).partition("/")
        bus = next((bus for bus in self.config.bus if bus.name == name), None)
        key = f"{self.key_of(device)}.port"
        if bus is None:
            known = f"name one of {', '.join(bus.name for bus in self.config.bus)}" if self.config.bus else "add a [[bus]] with this name"
            raise ConfigError("unknown-bus", self.file, key, f"there is no bus `{shown(name)}`", known)
        if not (address.isascii() and address.isdigit() and len(address) <= 3 and 1 <= int(address) <= BUS_ADDRESS_MAX):
            what = f"`{shown(address)}` is no address on a bus"
            raise ConfigError("bad-value", self.file, key, what, f"write {BUS_SCHEME}{name}/ and a number from 1 to {BUS_ADDRESS_MAX}")
        return Place(self.port_of(bus), bus.name, int(address))
