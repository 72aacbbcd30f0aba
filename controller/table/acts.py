"""What can happen at a table: acts of devices and acts of people, in the one vocabulary of scripts, API and journal.

An act is a frozen value whose tag is the key used everywhere (`card`, `close_bets`, `decide`, ...). This file knows their shapes only;
what an act means in a state is decided by `controller.table.decide`. Texts from outside become acts in `controller.table.parse`.

Cards that a device read are `Sealed`, always, since the act does not know yet whether its card will be shown.
Amounts are integers of the smallest coin (cents).
"""

from __future__ import annotations

from typing import Final, Literal

import msgspec

from controller.table.enforcement import Sheet
from firmware_bridge.cards import Card, Sealed

SeatKey = int | Literal["dealer", "player", "banker"]
"""A betting position counted clockwise from the dealer's left, or a side of the table."""


HOST_ROLE: Final = "host"
"""Who acts in shadow mode where the line shows that the other host's game went on; nobody can say so from outside."""


class By(msgspec.Struct, frozen=True):
    """Who acted: role `dealer`, `supervisor`, `technician`, `player`, `device` or `host`, and the person's or device's name."""

    role: str = "dealer"
    name: str = ""

    def __str__(self) -> str:
        return f"{self.role}:{self.name}" if self.name else self.role


class Origin(msgspec.Struct, frozen=True):
    """Where a device act came from. `eseq` is the device's event number, 0 when it gives none.

    `t_ms` is the device's own clock, kept as its claim only: the record's time is the host's (EQ-86).
    """

    device: str
    eseq: int = 0
    replayed: bool = False
    t_ms: int = 0


class Act(msgspec.Struct, frozen=True, kw_only=True, tag_field="act", omit_defaults=True):
    """Base of all acts."""

    by: By = By()
    origin: Origin | None = None


# ---- devices


class Load(Act, frozen=True, kw_only=True, tag="load"):
    """A set of cards was put into the device; `cards` counted, or None where the device does not count."""

    decks: int
    cards: int | None = None
    back: str | None = None


class Shuffle(Act, frozen=True, kw_only=True, tag="shuffle"):
    """A finished cycle. `missing` and `extra` name cards where the device recognises them; `problem` is the device's own verdict."""

    mode: Literal["random", "sort", "count-only", "unknown"] = "random"
    counted: int | None = None
    missing: tuple[Card, ...] = ()
    extra: tuple[Card, ...] = ()
    problem: Literal["", "count", "duplicates", "aborted", "foreign-back"] = ""


class ShuffleAborted(Act, frozen=True, kw_only=True, tag="shuffle_aborted"):
    """A cycle ended before it was done."""


class CardOut(Act, frozen=True, kw_only=True, tag="card"):
    """One card left the shoe, the hand-held deck or the shuffler. `read` is UNREADABLE inside when it was not recognised."""

    read: Sealed
    face_up: bool = False
    double: bool = False
    unreadable: bool = False
    out_of_flow: bool = False
    back: str | None = None
    back_mismatch: bool = False
    beyond: bool = False
    """The device itself says that it saw more copies than the shoe holds."""
    told: str = ""
    """Where the card goes in the round that the device follows itself: `player`, `banker`, `burn`, `first-card`; empty: it does not say."""


class StackOut(Act, frozen=True, kw_only=True, tag="stack"):
    """A dispensed stack of `count` cards; `cards` in order where they were read (else empty)."""

    count: int
    cards: tuple[Sealed, ...] = ()


class CutCardOut(Act, frozen=True, kw_only=True, tag="cut_card"):
    """The cutting card came out of the shoe."""


DEVICE_EVENTS = (
    "jam", "jam-cleared", "lid-open", "lid-closed", "lost", "back", "restarted",
    "empty", "warning", "mode-sort", "mode-random", "mode-count-only", "mode-unknown", "power-lost",
    "tamper", "error", "error-cleared", "events-lost", "wrong-identity",
    "clock-stepped", "unheard", "foreign-usb",
)  # fmt: skip


class DeviceNotice(Act, frozen=True, kw_only=True, tag="device"):
    """A device event that moves no card; `event` is one of DEVICE_EVENTS, `name` the device, `detail` plain words for people."""

    event: str
    name: str = "shoe"
    detail: str = ""


class DeviceRoutine(Act, frozen=True, kw_only=True, tag="routine"):
    """A device event that changes nothing at the table (gate moved, act done); recorded so that its number is not asked for again."""

    event: str


class ResultTold(Act, frozen=True, kw_only=True, tag="result_told"):
    """The device tells who won the round, as it reckons itself or as the host tells it: `player`, `banker`, `tie`, `forced-end`."""

    result: str


class Join(Act, frozen=True, kw_only=True, tag="join"):
    """Beside another host: its shoe is followed from here.

    `heard_all`: nothing was missed since it was followed last. `at_boundary`: the next card is the first of a round. `over`: what the other
    host does next, where it goes on although this table waits.
    """

    heard_all: bool = False
    at_boundary: bool = False
    over: str = ""


# ---- people


class Wager(Act, frozen=True, kw_only=True, tag="wager"):
    """Wagers of a seat by name, in cents; None as amount means placed without telling the amount."""

    seat: int
    amounts: dict[str, int | None] = {}


class CloseBets(Act, frozen=True, kw_only=True, tag="close_bets"):
    """The call that no more bets are taken."""


class Start(Act, frozen=True, kw_only=True, tag="start"):
    """What fixes the first position: exactly one of the four."""

    seat: SeatKey | None = None
    dice: int | None = None
    number: int | None = None
    button: int | None = None


class Decide(Act, frozen=True, kw_only=True, tag="decide"):
    """One decision of a seat, or of a `side` (then seat is 0).

    Cards may be left unnamed where nobody at the table sees them; `cards` then says how many are thrown away.
    """

    seat: int
    choose: str
    amount: int | None = None
    discard: tuple[Card, ...] = ()
    keep: tuple[Card, ...] = ()
    hand: int | None = None
    """Which of several hands after a split; not told: the hand in turn."""
    side: Literal["player", "banker"] | None = None
    cards: int | None = None


class SetHand(Act, frozen=True, kw_only=True, tag="set"):
    """A hand set face down, or the dealer's hand set by the house way."""

    seat: SeatKey
    high: tuple[Card, ...] = ()
    low: tuple[Card, ...] = ()
    medium: tuple[Card, ...] = ()
    keep: tuple[Card, ...] = ()
    hand: int = 1


class Expose(Act, frozen=True, kw_only=True, tag="expose"):
    """Cards turned face up: of a seat, the dealer, or community places (counted from 1)."""

    seat: SeatKey | None = None
    cards: tuple[Card, ...] = ()
    high: tuple[Card, ...] = ()
    medium: tuple[Card, ...] = ()
    low: tuple[Card, ...] = ()
    community: tuple[int, ...] = ()
    hand: int | None = None


class Report(Act, frozen=True, kw_only=True, tag="report"):
    """An irregularity seen by people."""

    what: str
    seat: SeatKey | None = None
    area: str | None = None
    cards: int | None = None
    shown: bool = False


class Declare(Act, frozen=True, kw_only=True, tag="declare"):
    """The dealer states the outcome before the controller shows its own."""

    result: str
    seat: SeatKey | None = None
    hand: int | None = None


class Rescan(Act, frozen=True, kw_only=True, tag="rescan"):
    """The cards of the round read again, in order."""

    cards: tuple[Sealed, ...]


class HoleCheck(Act, frozen=True, kw_only=True, tag="hole_check"):
    """What a peek at the dealer's hole card says, one bit."""

    blackjack: bool


class SignOn(Act, frozen=True, kw_only=True, tag="sign_on"):
    """A dealer takes the table."""

    person: str


class SignOff(Act, frozen=True, kw_only=True, tag="sign_off"):
    """A dealer leaves the table."""

    person: str


class StubCount(Act, frozen=True, kw_only=True, tag="stub_count"):
    """Cards counted in the stub."""

    cards: int


class RemoveCard(Act, frozen=True, kw_only=True, tag="remove_card"):
    """A card taken out of the set."""

    card: Card
    reason: str = ""


class ReplaceCard(Act, frozen=True, kw_only=True, tag="replace_card"):
    """A card put into the set in place of one removed."""

    card: Card
    reason: str = ""


class Resolve(Act, frozen=True, kw_only=True, tag="resolve"):
    """A supervisor settles an alarm."""

    choose: str
    alarm: str | None = None


class Collect(Act, frozen=True, kw_only=True, tag="collect"):
    """Cards picked up: of the round, or `discards` where the procedure has that moment."""

    what: Literal["round", "discards"] = "round"


class Open(Act, frozen=True, kw_only=True, tag="open"):
    """The table opens. `confirms`: digest of the enforcement sheet that its opener has read; `sheet`: the one in force.

    `beside`: in shadow mode, beside another host that deals.
    """

    confirms: str = ""
    sheet: Sheet | None = None
    beside: bool = False


class Close(Act, frozen=True, kw_only=True, tag="close"):
    """The table closes."""


DeviceAct = Load | Shuffle | ShuffleAborted | CardOut | StackOut | CutCardOut | ResultTold | DeviceNotice | DeviceRoutine
PersonAct = (
    Wager | CloseBets | Start | Decide | SetHand | Expose | Report | Declare | Rescan | HoleCheck | SignOn | SignOff
    | StubCount | RemoveCard | ReplaceCard | Resolve | Collect | Open | Close | Join
)  # fmt: skip
AnyAct = DeviceAct | PersonAct


def name_of(act: AnyAct) -> str:
    """The act's key in scripts, API and journal."""
    return str(type(act).__struct_config__.tag)
