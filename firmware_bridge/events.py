"""The canonical vocabulary of what devices tell, whatever protocol they speak.

A profile maps each wire message to one of these classes by name, so the rest of the project knows no protocol. Every
event carries the device's event number (`eseq`), the device's own milliseconds since its start (`t_ms`, wraps) and
whether it is a replay: sent before, or older than the last EVENT_RESUME (SDP/1 1.7). A replay differs in nothing else.

Cards are `Sealed`: nothing here can print one. Numbers that a newer device may send and this file does not know become
the member `UNKNOWN` of their enum; an event that the profile does not know becomes `UnknownEvent`, which is
acknowledged and logged like any other.

This file decides nothing: what an event means for a table is decided in `controller.table`.
"""

from __future__ import annotations

from enum import Enum, Flag
from typing import Final

import msgspec

from firmware_bridge.cards import Sealed


class CardFlag(Flag):
    """What the reader says beside the card itself (SDP/1 1.7). The replay flag is `DeviceEvent.replayed` instead."""

    NONE = 0
    UNREADABLE = 0x01
    DOUBLE_FEED = 0x02
    FACE_UP = 0x04
    BACK_MISMATCH = 0x08
    BEYOND_SHOE = 0x10
    """More copies of this card than the shoe holds."""
    OUT_OF_FLOW = 0x20
    MANUAL = 0x40
    """Entered by hand."""


class GateState(Enum):
    OPEN = "open"
    LOCKED = "locked"
    FORCED = "forced"
    UNKNOWN = "unknown"


class Cause(Enum):
    """Why a gate moved or a mode changed."""

    COMMAND = "command"
    KEY = "key"
    FAULT = "fault"
    LINK_LOST = "link-lost"
    """The link or the session was lost."""
    COUNT_REACHED = "count-reached"
    """A counted unlock locked itself after its last card."""
    UNKNOWN = "unknown"


class OutOfFlow(Enum):
    """In which state a card left although none was expected."""

    LOCKED = "locked"
    IN_ERROR = "in-error"
    DIAGNOSTIC = "diagnostic"
    EJECTED = "ejected"
    UNKNOWN = "unknown"


class JamPlace(Enum):
    FEED = "feed"
    READER = "reader"
    EXIT = "exit"
    ELEVATOR = "elevator"
    GATE = "gate"
    UNKNOWN = "unknown"


class ReturnPlace(Enum):
    MIDWAY = "midway"
    EXIT = "exit"
    UNKNOWN = "unknown"


class ShuffleMode(Enum):
    RANDOM = "random"
    SORT = "sort"
    COUNT_ONLY = "count-only"
    UNKNOWN = "unknown"


class ShuffleResult(Enum):
    GOOD = "good"
    COUNT = "count"
    DUPLICATES = "duplicates"
    ABORTED = "aborted"
    FOREIGN_BACK = "foreign-back"
    UNKNOWN = "unknown"


class DeviceState(Enum):
    """STATUS states."""

    BOOT = "boot"
    IDLE = "idle"
    ARMED = "armed"
    DEALING = "dealing"
    SHUFFLING = "shuffling"
    ERROR = "error"
    DIAGNOSTIC = "diagnostic"
    UPDATE = "update"
    UNKNOWN = "unknown"


class DeviceError(Enum):
    """SDP/1 error codes; `VENDOR` stands for 80-FF, whose meaning the vendor's manual tells."""

    NONE = "none"
    CANNOT_READ = "cannot-read"
    OVERDRAW = "overdraw"
    BUTTON_MISUSE = "button-misuse"
    REVERSE_AT_EXIT = "reverse-at-exit"
    REVERSE_MIDWAY = "reverse-midway"
    FOREIGN_CARD = "foreign-card"
    DRAW_TIME_OUT = "draw-time-out"
    JAM = "jam"
    LID = "lid"
    EMPTY = "empty"
    MOTOR = "motor"
    SENSOR = "sensor"
    CAMERA = "camera"
    MEMORY = "memory"
    TEMPERATURE = "temperature"
    CLOCK = "clock"
    KEY_STORE = "key-store"
    COUNT_MISMATCH = "count-mismatch"
    VENDOR = "vendor"
    UNKNOWN = "unknown"


class PowerChange(Enum):
    LOST = "lost"
    BACK = "back"
    BROWN_OUT = "brown-out"
    UNKNOWN = "unknown"


class TamperKind(Enum):
    CASE = "case"
    DEBUG_PORT = "debug-port"
    KEY_ERASE = "key-erase"
    CLOCK = "clock"
    FAILED_PROOFS = "failed-proofs"
    BAD_TAGS = "bad-tags"
    UNKNOWN = "unknown"


class StartReason(Enum):
    """Why a device sent RSTACK or started (SDP/1 1.4)."""

    ANSWER = "answer"
    POWER_ON = "power-on"
    WATCHDOG = "watchdog"
    FIRMWARE_UPDATE = "firmware-update"
    LINK_FAULT = "link-fault"
    BROWN_OUT = "brown-out"
    UNKNOWN = "unknown"


class Status(Enum):
    """The status byte of a response (SDP/1 1.5)."""

    OK = "ok"
    BAD_FORMAT = "bad-format"
    UNKNOWN_CODE = "unknown-code"
    WRONG_STATE = "wrong-state"
    BUSY = "busy"
    OUT_OF_RANGE = "out-of-range"
    DENIED = "denied"
    NOT_SUPPORTED = "not-supported"
    HARDWARE_FAULT = "hardware-fault"
    JAM = "jam"
    EMPTY = "empty"
    TIME_OUT = "time-out"
    INTEGRITY = "integrity"
    KEY_ERROR = "key-error"
    NOT_IDLE = "not-idle"
    PENDING = "pending"
    UNKNOWN = "unknown"


class DeviceEvent(msgspec.Struct, frozen=True):
    """What every event has; never made by itself."""

    eseq: int
    t_ms: int
    replayed: bool


class CardRead(DeviceEvent, frozen=True):
    """One card left the shoe through the reader; `position` counts the cards drawn in this shoe, this one included."""

    card: Sealed
    flags: CardFlag
    confidence: int
    position: int
    remaining: int | None
    """Cards left in the shoe, None when the device does not know."""


class StackDispensed(DeviceEvent, frozen=True):
    destination: int
    asked: int
    counted: int
    flags: CardFlag


class GateChanged(DeviceEvent, frozen=True):
    state: GateState
    cause: Cause


class ShoeLoaded(DeviceEvent, frozen=True):
    decks: int
    counted: int
    level: int
    """Weight or fill level in the device's own units."""


class ShoeEmpty(DeviceEvent, frozen=True):
    position: int


class CutCardSeen(DeviceEvent, frozen=True):
    position: int
    remaining: int | None


class BurnEjected(DeviceEvent, frozen=True):
    """As `CardRead`, for a card that a BURN command ejected."""

    card: Sealed
    flags: CardFlag
    confidence: int
    position: int
    remaining: int | None


class StubCounted(DeviceEvent, frozen=True):
    counted: int
    expected: int
    unreadable: int


class ShuffleStarted(DeviceEvent, frozen=True):
    decks: int
    mode: ShuffleMode


class ShuffleDone(DeviceEvent, frozen=True):
    counted: int
    expected: int
    unreadable: int
    result: ShuffleResult


class Jam(DeviceEvent, frozen=True):
    place: JamPlace
    card_present: bool


class Lid(DeviceEvent, frozen=True):
    is_open: bool


class ErrorRaised(DeviceEvent, frozen=True):
    error: DeviceError
    code: int
    """The byte on the wire: tells vendor errors apart."""
    detail: int


class ErrorCleared(DeviceEvent, frozen=True):
    error: DeviceError
    code: int
    detail: int


class CardOutOfFlow(DeviceEvent, frozen=True):
    """A card left although none was expected. It counts like any other card."""

    card: Sealed
    flags: CardFlag
    confidence: int
    position: int
    remaining: int | None
    state: OutOfFlow


class CardReturned(DeviceEvent, frozen=True):
    """A card was pushed back in; `position` is the count without it."""

    place: ReturnPlace
    position: int


class Button(DeviceEvent, frozen=True):
    button: int
    action: int


class ModeChanged(DeviceEvent, frozen=True):
    old: DeviceState
    new: DeviceState
    cause: Cause


class Power(DeviceEvent, frozen=True):
    change: PowerChange


class Tamper(DeviceEvent, frozen=True):
    kind: TamperKind


class JournalLost(DeviceEvent, frozen=True):
    """Events `first` to `last` are gone from the device's journal."""

    first: int
    last: int


class Started(DeviceEvent, frozen=True):
    """First event of each start; an act under way before it was broken off."""

    boot_count: int
    reason: StartReason
    shoe_open: bool


class CommandDone(DeviceEvent, frozen=True):
    """The act that command `tid` asked for has ended; `count` cards moved."""

    tid: int
    command: str
    """The profile's name of the command, such as `burn`; `code-XX` when the profile has none."""
    status: Status
    count: int


class UnknownEvent(DeviceEvent, frozen=True):
    """An event this profile does not know, or one too short to read. Its content may tell a card, so it is not here."""

    code: int
    size: int


EVENT_TYPES: Final[tuple[type[DeviceEvent], ...]] = (
    CardRead,
    StackDispensed,
    GateChanged,
    ShoeLoaded,
    ShoeEmpty,
    CutCardSeen,
    BurnEjected,
    StubCounted,
    ShuffleStarted,
    ShuffleDone,
    Jam,
    Lid,
    ErrorRaised,
    ErrorCleared,
    CardOutOfFlow,
    CardReturned,
    Button,
    ModeChanged,
    Power,
    Tamper,
    JournalLost,
    Started,
    CommandDone,
)
"""Every event of SDP/1 that a profile can map a message to, by class name."""
