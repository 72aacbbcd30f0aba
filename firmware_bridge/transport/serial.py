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

import serial

from firmware_bridge.transport.base import (
    BadAddressError,
    PortBrokenError,
    PortBusyError,
    PortMissingError,
    PortNotPermittedError,
    TransportError,
)
from firmware_bridge.transport.descriptor import DescriptorTransport

BAUD_RATES = (4800, 9600, 19200, 38400, 57600, 115200, 230400)
"""Rates of SDP/1 1.1, and 4800 for an older shoe family."""

DEFAULT_BAUD = 115200

PTY_MAJORS = range(136, 144)
"""Unix98 pseudo-terminal slaves (Linux admin-guide/devices.txt)."""

_CHOOSE = "choose a port that `shoed ports` lists"
_FOREIGN_ERRORS = (serial.SerialException, OSError, termios.error)


class SerialTransport(DescriptorTransport):
    """One serial port, 8N1 without flow control (SDP/1 1.1). `dtr` and `rts` are the levels set at opening."""

    is_uart = True

    def __init__(self, path: str, baud: int = DEFAULT_BAUD, *, dtr: bool = True, rts: bool = True) -> None:
        if baud not in BAUD_RATES:
            raise BadAddressError(f"{baud} baud is no usual rate", f"use one of {', '.join(map(str, BAUD_RATES))}")
        super().__init__(path if baud == DEFAULT_BAUD else f"serial://{path}?baud={baud}")
        self.path = path
        self.baud = baud
        self._dtr = dtr
        self._rts = rts

    async def _open_descriptor(self) -> int:
        opening = asyncio.get_running_loop().run_in_executor(None, self._open_and_configure)
        try:
            return await asyncio.shield(opening)
        except asyncio.CancelledError:
            opening.add_done_callback(self._free_late)
            raise

    def _free_late(self, opening: asyncio.Future[int]) -> None:
        """The caller has gone while the worker was opening: nobody will ever close this descriptor but us."""
        if not opening.cancelled() and opening.exception() is None:
            self._free_descriptor(opening.result(), unsent=False)

    def _open_and_configure(self) -> int:
        port = serial.Serial(None, self.baud, timeout=0, exclusive=True)
        port.dtr, port.rts = self._dtr, self._rts  # before opening: some adapters reset the device on a change
        port.port = self.path
        try:
            port.open()
        except _FOREIGN_ERRORS as error:
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


def _finish_settings(fd: int) -> None:
    """What pyserial leaves open: an empty read must mean `gone`, never `nothing yet`, and a break must not flush."""
    settings = termios.tcgetattr(fd)
    settings[0] &= ~(termios.BRKINT | termios.IXON | termios.IXOFF)
    settings[6][termios.VMIN] = 1
    settings[6][termios.VTIME] = 0
    termios.tcsetattr(fd, termios.TCSANOW, settings)
    if not _is_pty(fd):
        fcntl.ioctl(fd, termios.TIOCEXCL)


def _is_pty(fd: int) -> bool:
    return os.major(os.fstat(fd).st_rdev) in PTY_MAJORS


def _could_not_open(path: str, error: Exception) -> TransportError:
    number = _errno_of(error)
    if number in (errno.ENOENT, errno.ENODEV, errno.ENXIO):
        return PortMissingError(f"there is no port {path}", "plug the device in, or choose a port that `shoed ports` lists")
    if number in (errno.EACCES, errno.EPERM):
        return PortNotPermittedError(f"{path} may not be opened by this account", _permission_advice(path))
    if number in (errno.EBUSY, errno.EAGAIN, errno.EWOULDBLOCK):
        holder = find_holder(path)
        return PortBusyError(f"{path} is in use by {holder or 'another program'}", "stop that program, then try again", holder)
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


def _permission_advice(path: str) -> str:
    try:
        group = Path(path).group()
    except (OSError, KeyError):
        return "ask the administrator for access to it"
    return f"add the account to the group {group}, then sign in again"


def find_holder(path: str) -> str | None:
    """Return `name (process N)` of another process that has the port open, where the system lets us see it."""
    wanted = os.path.realpath(path)
    for process in _other_processes():
        try:
            if any(os.path.realpath(link) == wanted for link in (process / "fd").iterdir()):
                return f"{(process / 'comm').read_text().strip()} (process {process.name})"
        except OSError:
            continue  # not ours to look into, or already gone
    return None


def _other_processes() -> list[Path]:
    """Other processes first, our own last: a port that we hold ourselves is named too."""
    own = str(os.getpid())
    try:
        found = [entry for entry in Path("/proc").iterdir() if entry.name.isdigit()]
    except OSError:
        return []
    return sorted(found, key=lambda entry: entry.name == own)
