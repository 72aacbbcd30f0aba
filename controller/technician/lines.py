"""What goes over a line, frame by frame: time, direction, bytes and meaning side by side.

Bytes that tell a card are dots, and cards have no name, unless the reader may show them; a sealed frame stays sealed, whoever looks.
Damaged frames are told without their bytes, which may hold a card too.
"""

from __future__ import annotations

from typing import Final, Protocol

import msgspec

from controller.technician.reach import AnyCodec
from controller.technician.secrets_in import HIDDEN, hex_of, secret_places, size_of, tells_secret
from controller.technician.values import plain_value, words_of
from device_profiles.errors import FieldError
from device_profiles.plain.frames import Unframed, Way
from device_profiles.schema import Field
from firmware_bridge.codec import Codec
from firmware_bridge.framing import CobsFramer, FrameFault
from firmware_bridge.link.frames import RTX, SEC, FrameKind, NakReason, kind_of, maybe_agreement, maybe_offer
from firmware_bridge.link.limits import HEADER_SIZE
from firmware_bridge.plain.codec import PlainCodec
from firmware_bridge.plain.framers import PlainFault, PlainFrame, PlainFramer, Trouble

DAMAGED: Final = "damaged"
UNKNOWN: Final = "unknown"
SEALED: Final = "sealed"


class Seen(msgspec.Struct, frozen=True, kw_only=True):
    """One frame, or what was none. `message` is the profile's name, or `ack`, `ping`, `reset` and their like for the link itself."""

    at_s: float
    way: Way
    message: str
    meaning: str
    hex: str = ""
    fields: dict[str, object] = {}

    @property
    def is_fault(self) -> bool:
        return self.message in (DAMAGED, UNKNOWN)


class Reader(Protocol):
    """Cuts both directions of one connection and says what each frame means."""

    def read(self, way: Way, content: bytes, at_s: float) -> list[Seen]: ...


def reader_of(codec: AnyCodec, *, pauses: bool, show_cards: bool = False) -> Reader:
    """Return a reader for a profile; `pauses`: bytes may come in any pieces, as over TCP or out of a capture."""
    if isinstance(codec, PlainCodec):
        return PlainReader(codec, pauses=pauses, show_cards=show_cards)
    return Sdp1Reader(codec, pauses=pauses, show_cards=show_cards)


class Sdp1Reader:
    """Frames of SDP/1."""

    def __init__(self, codec: Codec, *, pauses: bool, show_cards: bool) -> None:
        self._codec, self._show = codec, show_cards
        self._framers = {way: CobsFramer(codec.profile.framing, pauses=pauses) for way in (Way.IN, Way.OUT)}
        profile = codec.profile
        self._groups = profile.groups
        self._event_names = {message.code: name for name, message in profile.events.items()}
        self._prefixes = {
            codec.classes.response: self._size(profile.messages.response_prefix),
            codec.classes.event: self._size(profile.messages.event_prefix),
        }

    def read(self, way: Way, content: bytes, at_s: float) -> list[Seen]:
        """Return what these bytes complete."""
        return [self._seen(way, found, at_s) for found in self._framers[way].feed(content, at_s)]

    def _size(self, fields: tuple[Field, ...]) -> int:
        return sum(size_of(field, self._groups) or 0 for field in fields)

    def _seen(self, way: Way, found: bytes | FrameFault, at_s: float) -> Seen:
        if isinstance(found, FrameFault):
            return Seen(at_s=at_s, way=way, message=DAMAGED, meaning=f"a frame that the line spoiled ({found.value})")
        kind = kind_of(found)
        if kind is None:
            return Seen(at_s=at_s, way=way, message=UNKNOWN, meaning="a frame of no known kind", hex=hex_of(found))
        if kind is not FrameKind.DATA:
            return Seen(at_s=at_s, way=way, message=kind.name.lower(), meaning=_link_words(kind, found), hex=hex_of(found))
        again = "again: " if found[0] & RTX else ""
        if found[0] & SEC:
            return Seen(at_s=at_s, way=way, message=SEALED, meaning=f"{again}{len(found) - HEADER_SIZE} sealed bytes", hex=hex_of(found))
        name, fields, hidden = self._message(found[HEADER_SIZE:])
        shown = {key: plain_value(value, show_cards=self._show) for key, value in fields.items()}
        places = frozenset() if self._show else frozenset(place + HEADER_SIZE for place in hidden)
        meaning = again + words_of(fields, show_cards=self._show)
        return Seen(at_s=at_s, way=way, message=name, meaning=meaning, hex=hex_of(found, places), fields=shown)

    def _message(self, message: bytes) -> tuple[str, dict[str, object], frozenset[int]]:
        """Return name, values and the places to hide. What cannot be read is hidden whole: nobody knows what it tells."""
        everything = frozenset(range(len(message)))
        try:
            message_class, code, tid = self._codec.read_header(message)
            classes, begin = self._codec.classes, self._codec.header_size
            if message_class == classes.event_ack:
                return "event_ack", {"eseq": self._codec.read_event_ack(message)}, frozenset()
            if message_class == classes.event:
                return self._event(code, message)
            spec = self._codec.command_by_code(code)
            if spec is None or message_class not in (classes.command, classes.response):
                return UNKNOWN, {"class": message_class, "code": code}, everything
            if message_class == classes.command:
                hidden = secret_places(spec.message.fields, self._groups, begin, len(message))
                return spec.name, {"tid": tid, **self._codec.read_command(spec, message)}, hidden
            status, fields = self._codec.read_response(spec, message)
            begin += self._prefixes[message_class]
            hidden = secret_places(spec.message.response, self._groups, begin, len(message)) if fields else frozenset()
            return spec.name, {"tid": tid, "status": status, **fields}, hidden
        except FieldError as error:
            return UNKNOWN, {"why": str(error)}, everything

    def _event(self, code: int, message: bytes) -> tuple[str, dict[str, object], frozenset[int]]:
        event = self._codec.read_event(code, message, replayed=False)
        values = {name: getattr(event, name) for name in event.__struct_fields__ if name != "replayed"}
        name = self._event_names.get(code)
        if name is None:
            return UNKNOWN, values, frozenset(range(len(message)))
        begin = self._codec.header_size + self._prefixes[self._codec.classes.event]
        return name, values, secret_places(self._codec.profile.events[name].fields, self._groups, begin, len(message))


class PlainReader:
    """Frames of a plain device."""

    def __init__(self, codec: PlainCodec, *, pauses: bool, show_cards: bool) -> None:
        self._codec, self._show = codec, show_cards
        self._framers: dict[Way, PlainFramer] = {way: codec.framer(way, pauses=pauses) for way in (Way.IN, Way.OUT)}
        self._secret = {name: tells_secret(at_work.message) for name, at_work in codec.messages.items()}

    def read(self, way: Way, content: bytes, at_s: float) -> list[Seen]:
        """Return what these bytes complete."""
        return [seen for found in self._framers[way].feed(content, at_s) if (seen := self._seen(way, found, at_s)) is not None]

    def _seen(self, way: Way, found: PlainFrame | Trouble, at_s: float) -> Seen | None:
        if isinstance(found, Trouble):
            if found.fault is PlainFault.UNFRAMED and self._codec.profile.framing.unframed is Unframed.IGNORE:
                return None
            return Seen(at_s=at_s, way=way, message=DAMAGED, meaning=f"{len(found.content)} bytes that are no frame ({found.fault.value})")
        content = found.content
        try:
            heard = self._codec.read(found, way=way)
        except FieldError as error:
            return Seen(at_s=at_s, way=way, message=UNKNOWN, meaning=str(error), hex=self._bytes(content, hidden=True))
        if heard is None:
            return Seen(at_s=at_s, way=way, message=UNKNOWN, meaning="no message of the profile", hex=self._bytes(content, hidden=True))
        fields: dict[str, object] = dict(heard.fields)
        if heard.card is not None:
            fields["card"] = heard.card
        shown = {key: plain_value(value, show_cards=self._show) for key, value in fields.items()}
        meaning = words_of(fields, show_cards=self._show)
        shown_hex = self._bytes(content, hidden=self._secret[heard.name])
        return Seen(at_s=at_s, way=way, message=heard.name, meaning=meaning, hex=shown_hex, fields=shown)

    def _bytes(self, content: bytes, *, hidden: bool) -> str:
        """Return the bytes, or one sign for all of them: the length of a text may tell a card too."""
        return HIDDEN if hidden and not self._show else hex_of(content)


def _link_words(kind: FrameKind, frame: bytes) -> str:
    body = frame[HEADER_SIZE:]
    match kind:
        case FrameKind.RST:
            offer = maybe_offer(frame)
            return "reset" if offer is None else f"reset token={frame[2]} versions={offer.lowest}-{offer.highest} window={offer.window}"
        case FrameKind.RSTACK:
            agreed = maybe_agreement(frame)
            if agreed is None:
                return "reset answered"
            return f"reset token={frame[2]} version={agreed.version} reason={agreed.reason} boot_count={agreed.boot_count}"
        case FrameKind.NAK:
            reason = NakReason(body[0]).name.lower().replace("_", " ") if body[:1] and body[0] in range(1, 5) else "no reason"
            return f"not taken: {reason}; next wanted {frame[2] & 0x0F}"
        case FrameKind.PING:
            return f"token={body[:1].hex().upper()}"
        case FrameKind.FAULT:
            return f"the device drops the link: reason {body[0] if body else '-'}"
        case _:
            return f"next wanted {frame[2] & 0x0F}"
