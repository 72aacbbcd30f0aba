"""Opening a serial line for listening alone: the descriptor itself cannot write, and no modem line is set.

The kernel refuses a write on a descriptor that was opened for reading, so that no mistake of this program puts a byte on the line of
another host. Rate, data bits and parity are set with termios, which needs no right to write; DTR and RTS are left to the driver. Most
drivers raise them when a port is opened at all, which nobody can prevent from here: a tap has these pins not connected. They are not
dropped when the port is closed, since hang-up on close is switched off.

The port is taken exclusively all the same: two readers of one port would steal each other's bytes.
"""

from __future__ import annotations

import errno
import fcntl
import os
import stat
import sys
import termios
from pathlib import Path
from typing import Final

from firmware_bridge.transport.settings import Parity, SerialSettings

PTY_MAJORS: Final = range(136, 144)
"""Unix98 pseudo-terminal slaves (Linux admin-guide/devices.txt)."""

CMSPAR: Final = 0o10000000000
"""Mark and space parity (Linux termbits.h); the module `termios` has no name for it."""
BOTHER: Final = 0o010000
"""A rate by number instead of by name (Linux termbits.h)."""
TCGETS2: Final = 0x802C542A
TCSETS2: Final = 0x402C542B
TERMIOS2_BYTES: Final = 44
"""struct termios2: four flags, line discipline, 19 control characters, two rates."""
CFLAG_AT: Final = 8
RATES_AT: Final = 36
_BITS: Final = {5: termios.CS5, 6: termios.CS6, 7: termios.CS7, 8: termios.CS8}
_PARITY: Final = {
    Parity.NONE: 0,
    Parity.EVEN: termios.PARENB,
    Parity.ODD: termios.PARENB | termios.PARODD,
    Parity.MARK: termios.PARENB | termios.PARODD | CMSPAR,
    Parity.SPACE: termios.PARENB | CMSPAR,
}


def open_listening(path: str, settings: SerialSettings) -> int:
    """Return a non-blocking descriptor that reads and cannot write.

    Raises:
        OSError, termios.error: it cannot be opened or set; nothing stays open.
    """
    fd = os.open(path, os.O_RDONLY | os.O_NOCTTY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        _take_for_us(fd, path)
        _make_raw(fd, settings)
    except BaseException:
        os.close(fd)
        raise
    return fd


def _take_for_us(fd: int, path: str) -> None:
    if not stat.S_ISCHR(os.fstat(fd).st_mode):
        raise OSError(errno.ENOTTY, os.strerror(errno.ENOTTY), path)
    fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    if not is_pty(fd):
        fcntl.ioctl(fd, termios.TIOCEXCL)


def _make_raw(fd: int, settings: SerialSettings) -> None:
    """As bytes come: no echo, no line editing, no flow control; an empty read means that the port has gone."""
    is_wire = not is_pty(fd)
    state = termios.tcgetattr(fd)
    state[0] = 0
    state[1] = 0
    state[3] = 0
    state[2] |= termios.CREAD | termios.CLOCAL
    state[2] &= ~(termios.HUPCL | termios.CRTSCTS)
    if is_wire:  # the kernel keeps a pseudo-terminal at 8N1 whatever is asked, and refuses some of it with an error
        state[2] &= ~(termios.CSIZE | termios.CSTOPB | termios.PARENB | termios.PARODD | CMSPAR)
        state[2] |= _BITS[settings.data_bits] | _PARITY[settings.parity] | (termios.CSTOPB if settings.stop_bits == 2 else 0)
    state[6][termios.VMIN], state[6][termios.VTIME] = 1, 0
    termios.tcsetattr(fd, termios.TCSANOW, state)
    _set_rate(fd, settings.baud)


def _set_rate(fd: int, baud: int) -> None:
    """Any rate, in and out alike."""
    told = bytearray(fcntl.ioctl(fd, TCGETS2, bytes(TERMIOS2_BYTES)))
    flags = int.from_bytes(told[CFLAG_AT : CFLAG_AT + 4], sys.byteorder)
    flags = flags & ~(termios.CBAUD | (termios.CBAUD << 16)) | BOTHER
    told[CFLAG_AT : CFLAG_AT + 4] = flags.to_bytes(4, sys.byteorder)
    told[RATES_AT:TERMIOS2_BYTES] = baud.to_bytes(4, sys.byteorder) * 2
    fcntl.ioctl(fd, TCSETS2, bytes(told))


def is_pty(fd: int) -> bool:
    """Return whether an open port is a pseudo-terminal, which has no wire."""
    return os.major(os.fstat(fd).st_rdev) in PTY_MAJORS


def is_pty_path(path: str) -> bool:
    """Return whether there is a pseudo-terminal at this path."""
    try:
        found = Path(path).stat()
    except OSError:
        return False  # opening it says what is wrong
    return stat.S_ISCHR(found.st_mode) and os.major(found.st_rdev) in PTY_MAJORS
