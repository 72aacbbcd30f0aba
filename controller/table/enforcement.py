"""The enforcement sheet: what can go wrong at this table, and what its devices make of it. Pure.

For a game, a dealing method and the devices of a table, each mishap is prevented, detected at once, detected at the end of the shoe, or not
detectable at all. Nothing here is a hope: a line says what the devices have told that they can do, and a device that was never heard
promises nothing. What a device's profile says that it cannot do stands beside it in the profile's own words.

The sheet goes into the record with the opening of the table, so that whoever opens it has been told.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from enum import Enum
from typing import Final, Literal

import msgspec

from controller.dealing.procedure import Procedure
from controller.dealing.steps import Stack

DIGEST_DIGITS: Final = 8
"""Enough to tell two sheets apart by reading them aloud."""


class Detection(Enum):
    """What comes of a mishap, from best to worst."""

    PREVENTED = "prevented"
    AT_ONCE = "at-once"
    END_OF_SHOE = "end-of-shoe"
    NOT_DETECTABLE = "not-detectable"


class DeviceMeans(msgspec.Struct, frozen=True, kw_only=True):
    """What one device of the table gives. The defaults promise nothing."""

    name: str
    kind: Literal["shoe", "shuffler"]
    can: frozenset[str] = frozenset()
    """Its abilities, by the names of SDP/1 1.9."""
    checks_frames: bool = False
    """A damaged message is noticed as such."""
    tells_repeats: bool = False
    """A message that comes again is told from a new one."""
    keeps_events: bool = False
    """What happens while nobody listens is told later."""
    notices_gaps: bool = False
    """Events that are lost are noticed by their numbers."""
    tells_serial: bool = False
    has_key: bool = False
    """It proves who it is with a key of the table's."""
    attests: bool = False
    """It attests its program (level 2)."""
    cannot: tuple[str, ...] = ()
    """Sentences of its profile."""


class SheetLine(msgspec.Struct, frozen=True):
    """One mishap: what becomes of it here, and why."""

    mishap: str
    detection: Detection
    why: str


class DeviceLimit(msgspec.Struct, frozen=True):
    """What a device's profile says that it cannot do."""

    device: str
    sentence: str


class Sheet(msgspec.Struct, frozen=True):
    """The whole sheet."""

    lines: tuple[SheetLine, ...]
    limits: tuple[DeviceLimit, ...] = ()
    mode: str = "enforced"
    """`shadow`: another host deals; nothing is enforced, only judged."""

    @property
    def digest(self) -> str:
        """Short text that changes with any line."""
        return hashlib.sha256(msgspec.json.encode(self)).hexdigest()[:DIGEST_DIGITS]

    def of(self, detection: Detection) -> tuple[SheetLine, ...]:
        """The lines that end so."""
        return tuple(line for line in self.lines if line.detection is detection)


class _Means:
    """What all devices of a table give together."""

    def __init__(self, procedure: Procedure, devices: Sequence[DeviceMeans]) -> None:
        self.procedure = procedure
        self.shoes = [device for device in devices if device.kind == "shoe"]
        self.shufflers = [device for device in devices if device.kind == "shuffler"]
        self.all = list(devices)

    def shoe(self, ability: str) -> bool:
        return any(ability in device.can for device in self.shoes)

    def shuffler(self, ability: str) -> bool:
        return any(ability in device.can for device in self.shufflers)

    @property
    def reads(self) -> bool:
        return self.shoe("read-cards")


Verdict = tuple[Detection, str]
P, A, E, N = Detection.PREVENTED, Detection.AT_ONCE, Detection.END_OF_SHOE, Detection.NOT_DETECTABLE


def make_sheet(procedure: Procedure, devices: Sequence[DeviceMeans]) -> Sheet:
    """Return the sheet of a table with these devices."""
    means = _Means(procedure, devices)
    lines = [SheetLine(mishap, *judge(means)) for mishap, judge in _MISHAPS.items() if mishap != STACK or _has_stacks(procedure)]
    return Sheet(tuple(lines), tuple(DeviceLimit(device.name, sentence) for device in devices for sentence in device.cannot))


def _has_stacks(procedure: Procedure) -> bool:
    return any(isinstance(step, Stack) for step in procedure.steps)


def _undue(means: _Means) -> Verdict:
    if means.shoe("gate"):
        return P, "the shoe's gate is locked except for the cards that the procedure expects"
    if means.reads:
        return A, "there is no gate that could be locked from here; the shoe tells the card, and the table alarms"
    return N, "no device locks or tells the cards that leave"


def _beyond(means: _Means) -> Verdict:
    if means.reads:
        return A, "each card read is compared with what the shoe may still hold"
    if means.shuffler("deck-count"):
        return E, "the shuffler counts the set; which card it is, nobody reads"
    return N, "no device reads or counts the cards"


def _missing(means: _Means) -> Verdict:
    if means.shuffler("deck-count"):
        return E, "the shuffler counts the set before it is dealt again"
    if means.procedure.game.stub is not None:
        return E, "the stub is counted by hand after every few rounds, and compared with the cards dealt"
    if means.reads:
        return N, "cards are read as they leave; what stays in the shoe or under the table is counted by nobody"
    return N, "no device and no count of the procedure sees the whole set"


def _unshuffled(means: _Means) -> Verdict:
    if means.shuffler("shuffle"):
        return P, "no card is expected before an uninterrupted random cycle with the right count"
    if means.reads:
        return A, "people tell of the shuffle; the order of the cards read is tested, which needs some of them"
    return N, "people tell of the shuffle, and no device reads the cards"


def _double(means: _Means) -> Verdict:
    if means.shoe("double-feed-detection"):
        return A, "the shoe notices two cards that leave together"
    if means.shuffler("deck-count") or means.procedure.game.stub is not None:
        return E, "the next count has one card too few"
    return N, "the shoe does not notice two cards that leave together"


def _face_up(means: _Means) -> Verdict:
    return (A, "the shoe sees the face") if means.shoe("face-detection") else (N, "only people see a card that lies face up in the shoe")


def _unread(means: _Means) -> Verdict:
    if means.reads:
        return A, "the shoe says that it could not read a card; the table waits where its name matters"
    return N, "no device reads the cards"


def _misread(means: _Means) -> Verdict:
    if means.reads and means.shuffler("read-cards"):
        return E, "a second device reads the cards too"
    if means.reads:
        return N, "one reading is believed unless it names a card that the shoe cannot hold any more"
    return N, "no device reads the cards"


def _damaged(means: _Means) -> Verdict:
    weak = [device.name for device in means.all if not device.checks_frames]
    if not means.all or weak:
        return N, f"{', '.join(weak) or 'nothing'} sends no checksum: a damaged message can read as another card"
    return P, "every message carries a checksum; a damaged one counts for nothing"


def _told_twice(means: _Means) -> Verdict:
    weak = [device.name for device in means.all if not device.tells_repeats]
    if not means.all or weak:
        return N, f"{', '.join(weak) or 'nothing'} numbers nothing: the same message again is another card"
    return P, "messages are numbered or repeated by rule; one that comes again counts once"


def _line_down(means: _Means) -> Verdict:
    if not means.all:
        return N, "no device is configured"
    forgetful = [device.name for device in means.all if not device.keeps_events]
    if not forgetful:
        return A, "the devices keep their events and tell them when the line is back"
    blind = [device.name for device in means.all if not device.keeps_events and not device.notices_gaps]
    if blind:
        return N, f"{', '.join(blind)} tells nothing again: after each loss the table waits for a supervisor"
    return A, "that events were lost is noticed by their numbers; which ones, people find out"


def _exchanged(means: _Means) -> Verdict:
    anonymous = [device.name for device in means.all if not device.tells_serial]
    if not means.all or anonymous:
        return N, f"{', '.join(anonymous) or 'nothing'} cannot tell its serial number: whatever is plugged in is taken for it"
    if all(device.has_key for device in means.all):
        return P, "each device proves who it is with its key"
    return A, "serial numbers are compared; a device that lies about its own is not noticed"


def _program(means: _Means) -> Verdict:
    if means.all and all(device.attests for device in means.all):
        return A, "each device attests its program with its key"
    return N, "the devices' programs are not attested"


def _lid(means: _Means) -> Verdict:
    blind = [device.name for device in means.all if "lid" not in device.can]
    return (N, f"{', '.join(blind) or 'nothing'} does not tell that it was opened") if blind or not means.all else (A, "lids are watched")


def _stack_size(means: _Means) -> Verdict:
    if means.reads and means.shoe("dispense"):
        return A, "the cards of a stack are read and counted"
    if means.shoe("dispense"):
        return A, "the device counts the stack; its word is all there is"
    return N, "people hand the stacks out and tell of them"


def _wrong_place(_means: _Means) -> Verdict:
    return N, "where a card lies is planned, not seen; people watch it"


STACK: Final = "a stack has the wrong number of cards"
_MISHAPS: Final[dict[str, Callable[[_Means], Verdict]]] = {
    "a card leaves although none is due": _undue,
    "a card comes that the shoe cannot hold: foreign, or once too often": _beyond,
    "a card of the set is missing": _missing,
    "cards are dealt unshuffled, or in a known order": _unshuffled,
    "two cards leave together": _double,
    "a card lies face up in the shoe": _face_up,
    "a card is not read": _unread,
    "a card is read as another one": _misread,
    "a message is damaged on the line": _damaged,
    "a card is told twice": _told_twice,
    "a card leaves while the line is down": _line_down,
    STACK: _stack_size,
    "a device is opened": _lid,
    "a device is exchanged for another": _exchanged,
    "a device's program is changed": _program,
    "a card is laid at the wrong place": _wrong_place,
}
