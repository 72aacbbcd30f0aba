"""The whole of a plain device's profile: who made it, on which lines it is found, how it talks, what it cannot do.

What a device does not give is said, not guessed: `cannot` lists it in the words that the operator reads when a table opens.
"""

from __future__ import annotations

from enum import Enum
from typing import Annotated

import msgspec

from device_profiles.plain.frames import FrameSize, PlainFraming
from device_profiles.plain.messages import NameTable, Plain, PlainMessage
from device_profiles.schema import About, HexBytes, Name, Number, Seconds, Table, Text


class Parity(Enum):
    NONE = "N"
    EVEN = "E"
    ODD = "O"
    MARK = "M"
    SPACE = "S"


Baud = Annotated[int, msgspec.Meta(ge=50, le=4_000_000)]


class LineVariant(Table, frozen=True, kw_only=True):
    """Other settings of a serial line; what is not named is as usual."""

    baud: Baud | None = None
    data_bits: Annotated[int, msgspec.Meta(ge=5, le=8)] | None = None
    parity: Parity | None = None
    stop_bits: Annotated[int, msgspec.Meta(ge=1, le=2)] | None = None


class LineSettings(Table, frozen=True, kw_only=True):
    """A serial line. `alternatives` are tried, in order, when nothing sensible is heard: a rate, or other settings."""

    baud: Baud
    alternatives: Annotated[tuple[Baud | LineVariant, ...], msgspec.Meta(max_length=16)] = ()
    data_bits: Annotated[int, msgspec.Meta(ge=5, le=8)] = 8
    parity: Parity = Parity.NONE
    stop_bits: Annotated[int, msgspec.Meta(ge=1, le=2)] = 1
    rs485: bool = False
    dtr: bool | None = None
    rts: bool | None = None


class UsbMatch(Table, frozen=True, kw_only=True):
    """Which USB device it is; all that is named must fit."""

    vendor: Annotated[int, msgspec.Meta(ge=0, le=0xFFFF)]
    product: Annotated[int, msgspec.Meta(ge=0, le=0xFFFF)]
    serial: Annotated[str, msgspec.Meta(max_length=128)] | None = None
    interface_class: Annotated[int, msgspec.Meta(ge=0, le=0xFF)] | None = None
    usage_page: Annotated[int, msgspec.Meta(ge=0, le=0xFFFF)] | None = None
    endpoint_in: Annotated[int, msgspec.Meta(ge=0x81, le=0x8F)] | None = None
    endpoint_out: Annotated[int, msgspec.Meta(ge=0x01, le=0x0F)] | None = None


class TransportKind(Enum):
    SERIAL = "serial"
    TCP = "tcp"
    USB_BULK = "usb-bulk"
    USB_HID = "usb-hid"


class LineRules(Table, frozen=True, kw_only=True):
    """How it is found on a line and what the host may do there."""

    kinds: Annotated[tuple[TransportKind, ...], msgspec.Meta(min_length=1, max_length=4)]
    serial: LineSettings | None = None
    usb: UsbMatch | None = None
    pause_s: Seconds | None = None
    """The host says nothing before the line was silent so long, for devices that need time to listen."""
    read_only: bool = True
    """The host writes nothing unless the configuration grants it."""


class Repeats(Table, frozen=True, kw_only=True):
    """The device says everything several times; a frame like one heard within this time is the same."""

    within_s: Seconds
    times: Annotated[int, msgspec.Meta(ge=1, le=16)] = 1
    """So often it is said; fewer are told as a weak line. 1: as often as it takes."""
    numbers: Annotated[int, msgspec.Meta(ge=2, le=65536)] | None = None
    """What it says is numbered, and so many numbers pass before the first comes again: by that a message that reads alike is told apart."""
    once: Annotated[tuple[Name, ...], msgspec.Meta(max_length=32)] = ()
    """These messages it says a single time, such as a sign of life; answers are said once anyway."""


class Numbers(Table, frozen=True, kw_only=True):
    """A running number of the device's messages, by which losses are noticed."""

    field: Name
    first: Number
    last: Number
    """After it comes `first` again."""
    restart: Number | None = None
    """This number says that the device has started."""


class Turns(Table, frozen=True, kw_only=True):
    """A running number of the host's questions, which each answer repeats: a sequence number, a bit that toggles.

    A question that is said again keeps its number, so that the device repeats its answer and does nothing twice; an answer with another
    number is a late one and counts as none. A refusal may have any number.
    """

    field: Name
    """In every message that has an answer, and in every answer."""
    first: Number
    last: Number
    """After it comes `first` again."""
    restart: Number | None = None
    """The first question after a connection, a refusal or a failed question has this number, and is alone: both ends begin anew."""
    window: Annotated[int, msgspec.Meta(ge=1, le=32)] = 1
    """So many questions may be under way at once; each answer, and each refusal, then tells by its number to which it belongs."""


class Poll(Table, frozen=True, kw_only=True):
    """The host asks all the time; the device never speaks by itself."""

    message: Name
    every_s: Seconds


class Branch(Table, frozen=True, kw_only=True):
    """What may be heard in a state of the connection, and where that leads."""

    message: Name
    where: Annotated[dict[Name, Plain | tuple[Plain, ...]], msgspec.Meta(max_length=8)] = {}
    """Only when these fields of it have these values; the first branch that fits is taken."""
    next: Name
    """A state, `connected`, or `failed`: then all begins anew after a while."""


class ConnectState(Table, frozen=True, kw_only=True):
    """One state of the connection: something is said, then something is heard or the time is over."""

    name: Name
    say: Name | None = None
    """Said on entering; its `answer` tells what may follow, how long it is waited for, and how often it is said."""
    values: Annotated[dict[Name, Plain], msgspec.Meta(max_length=16)] = {}
    """Fields of what is said."""
    within_s: Seconds | None = None
    """Where nothing is said that has an answer: so long a branch is waited for."""
    on: Annotated[tuple[Branch, ...], msgspec.Meta(max_length=16)] = ()
    otherwise: Name = "failed"
    """A state, `connected` or `failed`: when the time is over, and at once where there is nothing to wait for."""


class Connect(Table, frozen=True, kw_only=True):
    """What happens when the line is up: messages said in this order, each waiting for its answer, or states with branches."""

    messages: Annotated[tuple[Name, ...], msgspec.Meta(max_length=16)] = ()
    states: Annotated[tuple[ConnectState, ...], msgspec.Meta(max_length=16)] = ()
    """Instead of `messages`; it begins in the first one."""
    steps_max: Annotated[int, msgspec.Meta(ge=1, le=100)] = 32
    """So many states are entered at most, loops included; then it has failed."""
    after_restart: bool = False
    """Said again when the device tells that it has started (`begins_numbering`)."""
    identity: dict[str, Name] = {}
    """What of the answers is the device's identity: `vendor`, `model`, `serial`, `firmware`: field."""

    @property
    def said(self) -> tuple[str, ...]:
        """The messages that may be said, each once."""
        return tuple(dict.fromkeys((*self.messages, *(state.say for state in self.states if state.say is not None))))


class Quiet(Table, frozen=True, kw_only=True):
    """How silence is judged. None: silence says nothing, so a lost device is noticed by its port alone."""

    lost_after_s: Seconds | None = None


class Simulation(Table, frozen=True, kw_only=True):
    """How a simulated device of this kind behaves, so that one profile gives both sides."""

    card: Name | None = None
    """The message that tells a card."""
    unreadable: Name | None = None
    start: Name | None = None
    cut_card: Name | None = None
    cycle_s: Seconds = 0.5
    """Between two cards, at the least."""
    jitter_s: Seconds | None = None
    """Up to so much longer, as it comes."""
    answer_s: Seconds | None = None
    """How long it thinks before it answers."""
    unread: Annotated[dict[Name, Plain], msgspec.Meta(max_length=8)] = {}
    """Fields of `unreadable` for a card that was not read; values without a name of their own."""
    alive: Name | None = None
    """The message with which it shows, every `alive_s`, that it is there: a device whose silence is judged by `quiet` needs one."""
    alive_s: Seconds = 1.0
    counts: Name | None = None
    """This field of each message is counted up, where `numbers` says nothing of it."""
    counts_as: Annotated[tuple[Plain, ...], msgspec.Meta(max_length=256)] = ()
    """The values it runs through, over and over; from the first one after a start."""
    values: Annotated[dict[Name, Annotated[dict[Name, Plain], msgspec.Meta(max_length=64)]], msgspec.Meta(max_length=256)] = {}
    """By message: fields that no rule fills in."""
    answers: Annotated[dict[Name, Annotated[tuple[Name, ...], msgspec.Meta(min_length=1, max_length=16)]], msgspec.Meta(max_length=64)] = {}
    """By question: what answers it, one after another from each start on; the last one stays. Otherwise the first of its `answer` does."""
    follows: Annotated[dict[Name, Name], msgspec.Meta(max_length=64)] = {}
    """By message of the host: what the device says by itself right after it has answered it."""


class PlainVector(Table, frozen=True, kw_only=True):
    """Bytes on the wire and what they say."""

    id: str
    wire: HexBytes
    size: FrameSize | None = None
    """So many bytes: zeros stand between `wire` and `tail`."""
    tail: HexBytes | None = None
    message: Name
    fields: dict[str, Plain] = {}
    event: str | None = None
    card: str | None = None
    """The card that it names; `?`: one that was not read."""
    one_way: bool = False
    """Only read, not written: the device may write it in more than one way."""

    def wire_bytes(self) -> bytes:
        """The bytes on the wire."""
        begin, end = bytes.fromhex(self.wire), bytes.fromhex(self.tail or "")
        return begin + bytes(max(0, (self.size or 0) - len(begin) - len(end))) + end


class PlainProfile(Table, frozen=True, kw_only=True):
    spec: int
    name: Name
    extends: Name | None = None
    """The profile that lies under this one: what is not said here is as there."""
    link: Annotated[str, msgspec.Meta(pattern="^plain$")]
    about: About
    line: LineRules
    framing: PlainFraming
    names: Annotated[dict[Name, NameTable], msgspec.Meta(max_length=64)] = {}
    messages: Annotated[tuple[PlainMessage, ...], msgspec.Meta(min_length=1, max_length=256)]
    repeats: Repeats | None = None
    numbers: Numbers | None = None
    turns: Turns | None = None
    poll: Poll | None = None
    connect: Connect = Connect()
    quiet: Quiet = Quiet()
    can: Annotated[tuple[Name, ...], msgspec.Meta(max_length=32)] = ()
    """What it can do, each shown by a message: `cards` and `places`, `errors`, `numbers`, `acknowledges`, `cut-card`, `rounds`, `gate` (it
    carries Lock and Unlock), `lid`, `dispense`, `stub-count`, `shuffles`, `shuffle` and `deck-count` (it tells ShuffleDone), and the card
    flags `double-feed-detection` and `face-detection`. The enforcement sheet rests on them."""
    cannot: Annotated[tuple[Text, ...], msgspec.Meta(max_length=32)] = ()
    simulation: Simulation = Simulation()
    vectors: Annotated[tuple[PlainVector, ...], msgspec.Meta(min_length=1, max_length=256)]
