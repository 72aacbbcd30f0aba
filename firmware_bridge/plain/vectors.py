"""Runs the vectors of a plain profile: bytes to meaning and back. A profile whose vectors fail is not used."""

from __future__ import annotations

from typing import cast

from device_profiles.errors import FailedVectorError, FieldError, InvalidProfileError
from device_profiles.plain.frames import Line, Way
from device_profiles.plain.messages import Plain
from device_profiles.plain.profile import PlainVector
from firmware_bridge.cards import UNREADABLE, Card, CardTextError, Sealed, parse_card
from firmware_bridge.plain.compiled import CompiledProfile
from firmware_bridge.plain.framers import PlainFault, PlainFrame, Trouble
from firmware_bridge.plain.heard import PlainHeard
from firmware_bridge.plain.messages import MessageAtWork
from firmware_bridge.plain.stuffing import Between


def verify_vector(codec: CompiledProfile, vector: PlainVector) -> None:
    """Check that the vector comes out.

    Raises:
        FailedVectorError: it does not.
    """
    message = codec.messages.get(vector.message)
    if message is None:
        raise FailedVectorError(codec.file, vector.id, f"there is no message '{vector.message}'")
    way = Way.IN if message.message.way is not Way.OUT else Way.OUT
    wire = vector.wire_bytes()
    found = codec.framer(way).feed(wire, 0.0)
    frames = [item for item in found if isinstance(item, PlainFrame)]
    if len(frames) != 1 or len(found) != 1:
        kinds = ", ".join(item.fault.value if isinstance(item, Trouble) else item.grammar for item in found) or "nothing whole"
        hint = _right_checksum(message, wire) if any(isinstance(i, Trouble) and i.fault is PlainFault.CHECKSUM for i in found) else ""
        raise FailedVectorError(codec.file, vector.id, f"it is one frame, but the framer found: {kinds}{hint}")
    try:
        heard = codec.read(frames[0], way=way)
        everything: dict[str, object] = dict(message.read(frames[0].content) or {})
        written = wire if vector.one_way else codec.write(vector.message, cast("dict[str, Plain | bytes]", vector.fields))
        problem = _problem(vector, heard, everything)
    except (FieldError, CardTextError) as error:
        raise FailedVectorError(codec.file, vector.id, str(error)) from error
    if not problem and written != wire:
        problem = f"it is written as {_shown(written)}"
    if problem:
        raise FailedVectorError(codec.file, vector.id, problem)


def _right_checksum(message: MessageAtWork, wire: bytes) -> str:
    """What the frame is with the checksum that the profile describes; nothing where bytes are not sent as they are."""
    grammar, prover = message.reader.grammar, message.reader.prover
    if prover is None or isinstance(grammar, Between) or getattr(grammar, "doubled", None) is not None:
        return ""
    end = bytes.fromhex(grammar.end) if isinstance(grammar, Line) else b""
    frame = bytearray(wire.removesuffix(end))
    try:
        prover.complete(frame)
    except FieldError as error:
        return f"; {error}"
    return f"; with the checksum that the profile describes it is {_shown(bytes(frame) + end)}"


def _shown(wire: bytes) -> str:
    """Bytes, and as text where they are some."""
    text = wire.decode("latin-1").rstrip("\r\n")
    return wire.hex(" ").upper() + (f" ({text})" if text and text.isascii() and text.isprintable() else "")


def _problem(vector: PlainVector, heard: PlainHeard | None, everything: dict[str, object]) -> str:
    """What does not come out, in words; empty when everything does."""
    if heard is None or heard.name != vector.message:
        return f"it reads as {heard.name if heard else 'no message'}, not as {vector.message}"
    wrong = {n: everything.get(n) for n, v in vector.fields.items() if _comparable(everything.get(n)) != _comparable(v)}
    if wrong:
        return f"it reads as {wrong}"
    if vector.event is not None and (heard.means is None or heard.means.event != vector.event):
        return f"it is no {vector.event}"
    if vector.card is not None and (heard.card or Sealed(UNREADABLE)) != Sealed(_vector_card(vector.card)):
        return "it names another card"
    return ""


def _comparable(value: object) -> object:
    return value.hex().upper() if isinstance(value, bytes) else value


def _vector_card(name: str) -> Card:
    return UNREADABLE if name == "?" else parse_card(name)


def verify_said(codec: CompiledProfile) -> None:
    """Check that what the host says by itself, on connecting and polling, can be said.

    Raises:
        InvalidProfileError: a value is missing or does not fit.
    """
    profile, messages = codec.profile, {name: message.message for name, message in codec.messages.items()}
    said = [(state.say, state.values, f"connect, state '{state.name}'") for state in codec.connect_states.values() if state.say]
    if profile.poll is not None:
        said.append((profile.poll.message, {}, "poll"))
    for name, values, where in said:
        turn = {profile.turns.field: profile.turns.first} if profile.turns is not None and messages[name].answer is not None else {}
        try:
            codec.write(name, {**turn, **values})
        except FieldError as error:
            raise InvalidProfileError(codec.file, f"{where}: '{name}' cannot be said: {error}") from error
