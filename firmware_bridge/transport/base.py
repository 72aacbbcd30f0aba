"""What every transport promises: a byte pipe that is opened, written to without waiting, and closed.

A transport knows no frame and no device. It keeps these rules:

* Nothing here waits on the event loop: opening and closing run in a thread of their own, bytes are read when the loop
  says that some are there, and a write takes what the port takes now and keeps the rest up to a limit.
* The order of the callbacks is fixed: `on_bytes` any number of times, then at most one `on_lost`. None comes after
  `close` was called.
* The port is free again before `close` returns, so a caller may reopen it at once. Only a driver that hangs outlasts
  `CLOSE_DEADLINE_S`: `close` returns all the same, and the port cannot be opened until the driver lets go.
* Errors are told apart by what the caller can do next, never by their text.

Line noise is not an error of this layer: bytes are handed on as they come.
"""

from __future__ import annotations

import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Callable
from enum import Enum

from firmware_bridge.errors import BridgeError

OnBytes = Callable[[bytes], None]
OnLost = Callable[["TransportError"], None]

READ_BYTES = 4096
"""One read takes what the kernel's tty buffer holds at most; asking for more never returns more."""

TURN_BYTES = 512
"""A read of a port that is read in turns: at 115200 baud a line brings 230 bytes in the shortest rest between two turns."""

WRITE_BACKLOG_LIMIT_BYTES = 8192
"""Four full windows of seven frames of 260 bytes, beyond what the kernel holds: more means that nobody takes them."""

WRITE_DEADLINE_S = 1.5
"""Longest time without progress: a full window needs 0.16 s at 115200 baud, and SDP/1 1.4 retries within 1.2 s."""

OPEN_DEADLINE_S = 5.0
"""A serial device server answers within a second on a casino's own network; a dead address must not hold a table."""

CLOSE_DEADLINE_S = 1.0
"""A port is closed in under a millisecond unless its driver hangs; stopping the daemon may take 4 s for all of them at once."""


class TransportError(BridgeError):
    """Root of everything that can go wrong with a port. `what` says what happened, `do` what to do now."""

    code = "port-error"

    def __init__(self, what: str, do: str) -> None:
        super().__init__(f"{what}; {do}")
        self.what = what
        self.do = do


class BadAddressError(TransportError):
    """The address names no transport that this program has (our side's mistake)."""

    code = "port-address"


class PortMissingError(TransportError):
    """There is no such port, or nobody answers at that address."""

    code = "port-missing"


class PortBusyError(TransportError):
    """Somebody else has the port. `holder` names the process where it is known."""

    code = "port-busy"

    def __init__(self, what: str, do: str, holder: str | None = None) -> None:
        super().__init__(what, do)
        self.holder = holder


class PortNotPermittedError(TransportError):
    """The port exists and this account may not use it."""

    code = "port-not-permitted"


class PortRefusedError(TransportError):
    """Somebody answers and will not do what was asked, such as a line setting: change the address, or the other side."""

    code = "port-refused"


class PortAmbiguousError(TransportError):
    """More than one port is what the address describes. `candidates` are names that each describe one."""

    code = "port-ambiguous"

    def __init__(self, what: str, do: str, candidates: tuple[str, ...] = ()) -> None:
        super().__init__(what, do)
        self.candidates = candidates


class PortNotAllowedError(TransportError):
    """A device is there and the list of allowed devices does not have it. Nothing of it was used."""

    code = "port-not-allowed"


class PortBrokenError(TransportError):
    """The other side is gone: unplugged, powered off, connection closed. Close, then open again later."""

    code = "port-broken"


class PortClosedError(TransportError):
    """We closed it, or never opened it (our side's mistake)."""

    code = "port-closed"


class PortReadOnlyError(TransportError):
    """Something was to be written to a port that is only listened to (our side's mistake); not a byte of it was."""

    code = "port-read-only"


class PortStalledError(TransportError):
    """The port does not take our bytes in time. The transport is broken after it: close, then open again."""

    code = "port-stalled"


class PortFloodedError(TransportError):
    """More comes than may be taken, and it does not end. Close, then open again later: what is kept back is old."""

    code = "port-flooded"


class TransportState(Enum):
    """Where a transport stands. Only `OPEN` carries bytes."""

    CLOSED = "closed"
    OPENING = "opening"
    OPEN = "open"
    CLOSING = "closing"
    BROKEN = "broken"


@dataclasses.dataclass(slots=True)
class LineCounters:
    """What went over one port since it was made; the numbers only rise."""

    bytes_in: int = 0
    bytes_out: int = 0
    reads: int = 0
    writes: int = 0
    stalls: int = 0
    """Writes that the port did not take at once."""
    halts: int = 0
    """Transfers that a USB device refused (stalled); the endpoint was put in order and the transfer repeated."""
    opens: int = 0
    losses: int = 0


class Transport(ABC):
    """A byte pipe to one device. Made by `open_transport`'s scheme table; see the module text for the contract."""

    is_uart: bool = False
    """True where bytes have a pace of their own, so that silence inside a frame ends it (SDP/1 1.2)."""
    read_only: bool = False
    """True where nothing is ever written: another host speaks on this line."""
    baud: int = 115200
    """The rate that time limits are computed from; SDP/1 1.4 counts TCP and USB as 115200."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.counters = LineCounters()

    @property
    def sharers(self) -> int:
        """Devices that share the line: more than one only on a bus."""
        return 1

    @property
    @abstractmethod
    def state(self) -> TransportState:
        """Where the transport stands."""

    def plug_mark(self) -> object:
        """Return what changes when something is plugged in where this port is looked for.

        None: nothing is there, or this transport cannot tell. It waits for nothing.
        """
        return None

    def listen_only(self) -> None:
        """Only listen on this port from its next opening on: every write is refused before a byte of it leaves.

        Raises:
            PortRefusedError: a port of this kind has to be written to before it can be heard.
        """
        raise PortRefusedError(f"{self.url} cannot be listened to without writing to it", "tap the line with a serial port, or use tcp://")

    @abstractmethod
    async def open(self, on_bytes: OnBytes, on_lost: OnLost) -> None:
        """Open the port and begin to deliver bytes.

        Raises:
            TransportError: missing, busy, not permitted or broken; the port stays closed and may be tried again.
            PortClosedError: it is open already (our mistake).
        """

    @abstractmethod
    def send(self, chunk: bytes) -> None:
        """Hand over bytes without waiting; what the port does not take at once follows in order.

        Raises:
            PortClosedError, PortBrokenError: nothing was taken.
            PortStalledError: the backlog is full; the transport is broken now.
        """

    @abstractmethod
    async def write(self, chunk: bytes, deadline_s: float = WRITE_DEADLINE_S) -> None:
        """Send and wait until the port has taken everything; raises as `send`, and PortStalledError at the deadline."""

    @abstractmethod
    def rest(self, seconds: float) -> None:
        """Hand over no bytes for so long, and then pieces of at most `TURN_BYTES`; 0: as usual again.

        What comes meanwhile waits in the port, or is lost as the port loses it: more than one buffer of it is not kept here.
        """

    @abstractmethod
    async def close(self) -> None:
        """Free the port. May be called in any state and twice."""
