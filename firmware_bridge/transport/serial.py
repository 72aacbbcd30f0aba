"""A serial port: pyserial opens and configures it, the event loop reads and writes its descriptor.

pyserial knows the line settings of every system but its own read and write wait or spin, so they are not used: after
configuration the descriptor is taken over and the pyserial object let go. Three exception families come out of it
depending on the call (SerialException, plain OSError, termios.error); they are converted here and nowhere else.

A port is taken exclusively in two ways. The advisory lock keeps out programs that ask (and another daemon of ours);
the kernel's exclusive flag keeps out those that do not. Pseudo-terminals get the lock only: their flag outlives the
program that set it, and a killed daemon would keep itself out.
"""

from __future__ import annotations

import asyncio
import errno
import fcntl
import os
import stat
import termios
from pathlib import Path
from urllib.parse import quote

import serial
from serial.rs485 import RS485Settings

from firmware_bridge.transport.adapters import find_adapter, link_mark, node_mark, verify_unique
from firmware_bridge.transport.base import (
    OPEN_DEADLINE_S,
    PortBrokenError,
    PortBusyError,
    PortMissingError,
    PortNotPermittedError,
    PortStalledError,
    TransportError,
)
from firmware_bridge.transport.descriptor import DescriptorTransport
from firmware_bridge.transport.holders import find_holder
from firmware_bridge.transport.listening import is_pty as _is_pty
from firmware_bridge.transport.listening import is_pty_path as _is_pty_path
from firmware_bridge.transport.listening import open_listening
from firmware_bridge.transport.own_threads import OWN_THREADS
from firmware_bridge.transport.permission import advice_for
from firmware_bridge.transport.settings import SerialSettings

DEFAULTS = SerialSettings()

_CHOOSE = "choose a port that `shoed ports` lists"
_FOREIGN_ERRORS = (serial.SerialException, OSError, termios.error)


class SerialTransport(DescriptorTransport):
    """One serial port without flow control. A pseudo-terminal has no wire: it takes rate and modem lines and ignores the rest."""

    is_uart = True

    def __init__(self, path: str, settings: SerialSettings = DEFAULTS) -> None:
        query = settings.query()
        super().__init__(f"serial://{path}?{query}" if query else path)
        self.path = path
        self.settings = settings
        self.baud = settings.baud
        self._opening: asyncio.Future[int] | None = None

    async def _open_descriptor(self) -> int:
        if self._opening is not None and not self._opening.done():
            raise self._hangs()  # one thread that hangs is enough
        opening = self._opening = asyncio.get_running_loop().run_in_executor(
            OWN_THREADS, self._open_to_listen if self.read_only else self._open_and_configure
        )
        try:
            async with asyncio.timeout(OPEN_DEADLINE_S):
                return await asyncio.shield(opening)
        except BaseException as error:
            opening.add_done_callback(self._free_late)
            if isinstance(error, TimeoutError):
                raise self._hangs() from error
            raise

    def _hangs(self) -> PortStalledError:
        return PortStalledError(f"{self.path or self.url} does not open: its driver hangs", "unplug the adapter, plug it in again")

    def _free_late(self, opening: asyncio.Future[int]) -> None:
        """The caller has gone while the worker was opening: nobody will ever close this descriptor but us."""
        if not opening.cancelled() and opening.exception() is None:
            OWN_THREADS.submit(self._free_descriptor, opening.result(), unsent=False)

    def plug_mark(self) -> object:
        return node_mark(self.path)

    def locate(self) -> str:
        """Return the path of the port as it is now; looks around in the system for it, so not on the loop.

        Raises:
            TransportError: there is none, or more than one.
        """
        verify_unique(self.path)
        return self.path

    def _open_to_listen(self) -> int:
        self.path = self.locate()
        try:
            return open_listening(self.path, self.settings)
        except _FOREIGN_ERRORS as error:
            raise _could_not_open(self.path, error) from error

    def _open_and_configure(self) -> int:
        self.path = self.locate()
        wanted, is_wire = self.settings, not _is_pty_path(self.path)
        port = serial.Serial(None, wanted.baud, timeout=0, exclusive=True)
        port.dtr, port.rts = wanted.dtr, wanted.rts  # before opening: some adapters reset the device on a change
        if is_wire:  # the kernel keeps a pseudo-terminal at 8N1 whatever is asked, and refuses some of it with an error
            port.bytesize, port.parity, port.stopbits = wanted.data_bits, wanted.parity.value, wanted.stop_bits
        port.port = self.path
        try:
            port.open()
            if wanted.rs485 and is_wire:
                _turn_by_driver(port)
        except _NoDirectionError as error:
            port.close()
            raise PortBrokenError(
                f"{self.path}: its driver cannot turn the direction of an RS-485 line",
                "use a port that can; or, where the adapter does it by itself, write rs485=off in the port's address",
            ) from error
        except _FOREIGN_ERRORS as error:
            port.close()
            raise _could_not_open(self.path, error) from error
        try:
            fd = os.dup(port.fileno())  # the lock belongs to the open file, so it stays with the copy
        finally:
            port.close()
        try:
            os.set_blocking(fd, False)
            _finish_settings(fd)
        except _FOREIGN_ERRORS as error:
            os.close(fd)
            raise _could_not_open(self.path, error) from error
        holder = find_holder(self.path, besides_us=True) if is_wire else None
        if holder is not None:  # neither lock nor flag keeps out who had it before: two would take each other's bytes
            self._free_descriptor(fd, unsent=False)
            raise _busy(self.path, holder)
        return fd

    def _free_descriptor(self, fd: int, *, unsent: bool) -> None:
        try:
            if not _is_pty(fd):
                fcntl.ioctl(fd, termios.TIOCNXCL)
            termios.tcflush(fd, termios.TCIOFLUSH if unsent else termios.TCIFLUSH)
        except _FOREIGN_ERRORS:
            return  # the port has vanished: there is nothing left to give back
        finally:
            os.close(fd)


class AdapterTransport(SerialTransport):
    """The port of the adapter with a serial number, wherever it is plugged in; `path` is where it was found last."""

    def __init__(self, serial_number: str, interface: int | None, links: Path, settings: SerialSettings = DEFAULTS) -> None:
        super().__init__("", settings)
        words = [] if interface is None else [f"interface={interface}"]
        query = "&".join([*words, *filter(None, [settings.query()])])
        self.url = f"adapter://{quote(serial_number)}{'?' if query else ''}{query}"
        self.serial_number = serial_number
        self.interface = interface
        self.links = links

    def plug_mark(self) -> object:
        return link_mark(self.serial_number, self.links)

    def locate(self) -> str:
        return find_adapter(self.serial_number, self.interface, self.links).path


class _NoDirectionError(Exception):
    """The driver has no RS-485 mode."""


def _turn_by_driver(port: serial.Serial) -> None:
    try:
        port.rs485_mode = RS485Settings()
    except (ValueError, OSError) as error:  # pyserial says ValueError when the driver refuses
        raise _NoDirectionError from error


def _finish_settings(fd: int) -> None:
    """What pyserial leaves open: an empty read must mean `gone`, never `nothing yet`, and a break must not flush."""
    settings = termios.tcgetattr(fd)
    settings[0] &= ~(termios.BRKINT | termios.IXON | termios.IXOFF)
    settings[6][termios.VMIN] = 1
    settings[6][termios.VTIME] = 0
    termios.tcsetattr(fd, termios.TCSANOW, settings)
    if not _is_pty(fd):
        fcntl.ioctl(fd, termios.TIOCEXCL)


def _busy(path: str, holder: str | None) -> PortBusyError:
    return PortBusyError(f"{path} is in use by {holder or 'another program'}", "stop that program, then try again", holder)


def _could_not_open(path: str, error: Exception) -> TransportError:
    number = _errno_of(error)
    if number in (errno.ENOENT, errno.ENODEV, errno.ENXIO):
        return PortMissingError(f"there is no port {path}", "plug the device in, or choose a port that `shoed ports` lists")
    if number in (errno.EACCES, errno.EPERM):
        return PortNotPermittedError(f"{path} may not be opened by this account", advice_for(path))
    if number in (errno.EBUSY, errno.EAGAIN, errno.EWOULDBLOCK):
        return _busy(path, find_holder(path))
    if number in (errno.ENOTTY, errno.EISDIR, errno.EINVAL) or not _is_character_device(path):
        return PortMissingError(f"{path} is not a serial port", _CHOOSE)
    reason = os.strerror(number) if number else type(error).__name__
    return PortBrokenError(f"{path} could not be opened: {reason}", "unplug the device, plug it in again")


def _errno_of(error: Exception) -> int | None:
    """Pyserial keeps the number in the attribute, termios as first argument, and some of pyserial's only as cause."""
    for candidate in (error, error.__cause__, error.__context__):
        if isinstance(candidate, OSError) and candidate.errno is not None:
            return candidate.errno
        if isinstance(candidate, termios.error) and candidate.args and isinstance(candidate.args[0], int):
            return candidate.args[0]
    return None


def _is_character_device(path: str) -> bool:
    try:
        return stat.S_ISCHR(Path(path).stat().st_mode)
    except OSError:
        return False
