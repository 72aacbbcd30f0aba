"""The two ends of OSDP that libosdp has, each on a file descriptor of a pseudo-terminal; its own thread refreshes them."""

from __future__ import annotations

import contextlib
import errno
import os
import pty
import tty
from collections.abc import Iterator
from pathlib import Path

import osdp

from device_profiles.loader import read_tables
from device_profiles.plain.loader import plain_profile

SOURCE = Path(__file__).parent / "osdp-reader.toml"
PROFILE = plain_profile(read_tables(SOURCE.read_bytes(), SOURCE.name), SOURCE.name)
ADDRESS = 0x65
QUIET = osdp.LogLevel.Emergency


class Wire(osdp.Channel):
    """Bytes of a descriptor that is read without waiting; a line that has nobody at its other end says nothing."""

    def __init__(self, fd: int) -> None:
        super().__init__()
        os.set_blocking(fd, False)
        self._fd = fd
        self.swallowed = 0
        """So many of the chunks that come next are lost."""

    def read(self, max_bytes: int) -> bytes:
        try:
            chunk = os.read(self._fd, max_bytes)
        except OSError as error:
            if error.errno in (errno.EAGAIN, errno.EIO):
                return b""
            raise
        if chunk and self.swallowed:
            self.swallowed -= 1
            return b""
        return chunk

    def write(self, buf: bytes) -> int:
        try:
            return os.write(self._fd, buf)
        except BlockingIOError:
            return 0

    def flush(self) -> None:
        """Nothing is kept here."""


class Reader:
    """A reader of libosdp behind a pseudo-terminal; `path` is what the panel opens."""

    def __init__(self) -> None:
        self._master, self._slave = pty.openpty()
        tty.setraw(self._slave)
        self.path = os.ttyname(self._slave)
        self.wire = Wire(self._master)
        self._device: osdp.PeripheralDevice | None = None

    def switch_on(self) -> None:
        """Power: it knows nothing of what was said before."""
        identity = osdp.PdId(version=1, model=7, vendor_code=0x00A1B2C3, serial_number=20261130, firmware_version=0x00010203)
        told = osdp.PDInfo(ADDRESS, self.wire, scbk=None, id=identity)
        can = osdp.PDCapabilities([(osdp.Capability.CardDataFormat, 1, 1), (osdp.Capability.CheckCharacter, 1, 1)])
        self._device = osdp.PeripheralDevice(told, can, log_level=QUIET)
        self._device.start()

    def switch_off(self) -> None:
        if self._device is not None:
            self._device.teardown()
            self._device = None

    def present(self, tag: bytes) -> bool:
        """Hold a tag in front of it; True says that it is taken, not that it is told."""
        assert self._device is not None
        event = {
            "event": osdp.Event.CardRead,
            "reader_no": 0,
            "direction": 0,
            "format": osdp.CardFormat.Wiegand,
            "length": 8 * len(tag),
            "data": tag,
        }
        return bool(self._device.submit_event(event))

    def close(self) -> None:
        self.switch_off()
        os.close(self._master)
        os.close(self._slave)


@contextlib.contextmanager
def a_reader() -> Iterator[Reader]:
    reader = Reader()
    reader.switch_on()
    try:
        yield reader
    finally:
        reader.close()


@contextlib.contextmanager
def a_panel(path: str) -> Iterator[osdp.ControlPanel]:
    """A control panel of libosdp that polls the reader on `path`."""
    fd = os.open(path, os.O_RDWR | os.O_NOCTTY)
    tty.setraw(fd)
    panel = osdp.ControlPanel([osdp.PDInfo(ADDRESS, Wire(fd), scbk=None)], log_level=QUIET)
    panel.start()
    try:
        yield panel
    finally:
        panel.teardown()
        os.close(fd)
