"""Reads a configuration file, and checks what can be judged from the file alone: what its parts must be to one another.

Nothing else is touched; whether ports, key files and the journal are in order is asked by `controller.service.preflight`.
"""

from __future__ import annotations

import ipaddress
from pathlib import Path
from typing import Final

from controller.service.config import BUS_SCHEME, SDP1_PROFILE, SERIAL_WORDS, Config, DeviceConfig, DeviceKind, Mode, Place, Setup
from controller.service.errors import ConfigError
from controller.service.strict import read_struct, read_toml_file, shown
from controller.service.usb_ports import check_usb

CONFIG_SIZE_LIMIT_BYTES: Final = 1 << 20
"""A configuration of a hundred tables with full pay tables is under 200 kB; more is some other file."""

TABLES_MAX: Final = 100
"""The largest number of tables that one process was measured with."""

DEVICES_MAX: Final = 4
"""A shoe, two shufflers in turn and a spare: no table of the chapter has more."""


def load_config(file: Path) -> Setup:
    """Return the checked configuration of a file; nothing outside of it is looked at.

    Raises:
        ConfigError: the first thing that is wrong.
    """
    file = file.absolute()
    setup = Setup(file, read_struct(Config, read_toml_file(file, CONFIG_SIZE_LIMIT_BYTES), file))
    _check_host(setup)
    _check_tables(setup)
    check_usb(setup)
    return setup


def _check_host(setup: Setup) -> None:
    host = setup.config.api.host
    try:
        local = ipaddress.ip_address(host).is_loopback
    except ValueError:
        local = False
    if not local:
        raise ConfigError(
            "api-not-local",
            setup.file,
            "api.host",
            f"`{shown(host)}` is not an address of this machine alone: the API speaks without encryption",
            'write "127.0.0.1" and reach it from elsewhere through SSH',
        )


def _check_tables(setup: Setup) -> None:
    file, tables = setup.file, setup.config.table
    if not 1 <= len(tables) <= TABLES_MAX:
        raise ConfigError("bad-value", file, "table", f"there are {len(tables)} tables", f"configure 1 to {TABLES_MAX} [[table]]")
    owners: dict[str, str] = {}
    for bus in setup.config.bus:
        _take(owners, f"the bus {bus.name}", f"bus.{bus.name}", file)
        _take(owners, f"the port {setup.port_of(bus)}", f"bus.{bus.name}.port", file)
    for table in tables:
        key = f"table.{table.id}"
        _take(owners, f"the table id {table.id}", key, file)
        if len(table.device) > DEVICES_MAX:
            raise ConfigError("bad-value", file, f"{key}.device", "too many devices", f"keep at most {DEVICES_MAX}")
        for device in table.device:
            where = f"{key}.device.{device.name}"
            _take(owners, f"the name {device.name} at {table.id}", where, file)
            _take(owners, f"the port {_port_words(setup.place_of(device))}", f"{where}.port", file)
            if device.serial is not None:
                _take(owners, f"the serial number {device.serial}", f"{where}.serial", file)
            elif device.profile == SDP1_PROFILE and table.mode is not Mode.SHADOW:
                raise ConfigError("missing-key", file, f"{where}.serial", "is missing", f"write serial = {SERIAL_WORDS}")
            _check_key_named(device, where, file)
        if sum(device.kind is DeviceKind.SHOE for device in table.device) > 1:
            raise ConfigError("two-shoes", file, f"{key}.device", "two shoes give cards to one table", "keep one of them")


def _check_key_named(device: DeviceConfig, where: str, file: Path) -> None:
    if device.security and device.key_file is None:
        what, do = "is missing, and security level 1 needs the device's key", "name the file that holds it, or set security = 0"
        raise ConfigError("missing-key", file, f"{where}.key_file", what, do)
    if device.key_file is not None and not device.security:
        what, do = "names a key that security level 0 does not use", "set security = 1, or leave the key out"
        raise ConfigError("key-without-security", file, f"{where}.key_file", what, do)
    if device.profile == SDP1_PROFILE:
        for key, given in (("write", device.write), ("cards", device.cards is not None)):
            if given:
                what = "is for devices of foreign protocols, and this one speaks SDP/1"
                raise ConfigError("key-without-use", file, f"{where}.{key}", what, "leave it out, or name the device's profile")


def _port_words(place: Place) -> str:
    return f"{BUS_SCHEME}{place.bus}/{place.address}" if place.bus else place.port


def _take(owners: dict[str, str], thing: str, key: str, file: Path) -> None:
    """Note who uses a thing that only one may use."""
    if thing in owners:
        raise ConfigError("used-twice", file, key, f"{thing} is already used by {owners[thing]}", "give each its own")
    owners[thing] = key
