"""What every profile must stand, SDP/1 included: any split, junk, each byte dropped, inserted and flipped, repetition, answers, restart.

A stream is four frames: one good, one damaged, two good ones right behind it. However the damage looks, the first and the last are heard;
the one behind the damage is heard too wherever frames carry a checksum, since then nothing damaged passes as the beginning of another.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Protocol

import pytest

from device_profiles.errors import FieldError
from device_profiles.loader import read_tables
from device_profiles.plain.frames import Reports, Way
from device_profiles.plain.loader import plain_profile
from firmware_bridge.codec import load_codec
from firmware_bridge.commands import Request
from firmware_bridge.errors import MisuseError
from firmware_bridge.events import Started, Status
from firmware_bridge.framing import CobsFramer, encode_frame
from firmware_bridge.link.line import Line
from firmware_bridge.plain.abilities import checks_frames, tells_repeats
from firmware_bridge.plain.codec import PlainCodec
from firmware_bridge.plain.framers import PlainFrame
from firmware_bridge.plain.mapping import CARD_EVENTS
from firmware_bridge.plain.session import PlainSession
from firmware_bridge.plain.settings import PlainSettings
from firmware_bridge.session.outputs import CommandAnswered, EventArrived, HostOutput
from tests.firmware_bridge.plain_samples import PLAIN, codec_of, samples, values_of
from tests.firmware_bridge.test_codec_messages import PROFILE, filled

SDP1 = load_codec("sdp1")
EVERY = ("sdp1", *PLAIN)
SISTERS = {
    name: Path(__file__).parents[1] / "device_profiles" / "sisters" / f"{name}.toml"
    for name in ("cobs-tlv", "flagged-fields", "hdlc-crc", "slip-sum16", "windowed-questions")
}
"""Profiles with ways of framing, and of saying which fields are there, that no device above has."""
JUNK = (b"\xff\x00", b"<:Zz7 ", b"\x05\x31\x7f\x02", b"\r\n", bytes(range(128, 160)))
LATER_S = 60.0
"""Longer than any pause inside a frame."""
POSITIONS_MAX = 40
"""Of a long frame so many positions, its first and last ones among them."""


class Ear(Protocol):
    """Names the messages in the bytes of one direction of one connection."""

    def __call__(self, chunk: bytes, now_s: float) -> list[str]: ...


class Talk:
    """A profile's device as it speaks, and who hears it."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.plain = None if name == "sdp1" else sister_of(name) if name in SISTERS else codec_of(name)
        self.wires = samples(self.plain) if self.plain is not None else dict(sdp1_wires())
        self.is_whole = self.plain is not None and any(isinstance(g, Reports) for g in self.plain.profile.framing.grammars)
        self.is_checked = self.plain is None or checks_frames(self.plain.profile)

    def ear(self) -> Ear:
        return plain_ear(self.plain) if self.plain is not None else sdp1_ear()

    def hear(self, pieces: list[bytes]) -> list[str]:
        """Let the pieces come one after another, then a pause."""
        ear, names = self.ear(), list[str]()
        for piece in pieces:
            names += ear(piece, 0.0)
        return names + ear(b"", LATER_S)


def plain_ear(codec: PlainCodec) -> Ear:
    framer = codec.framer(Way.IN)

    def hear(chunk: bytes, now_s: float) -> list[str]:
        names = []
        for item in framer.feed(chunk, now_s):
            if isinstance(item, PlainFrame):
                try:
                    message = codec.read(item)
                except FieldError:
                    continue
                names += [message.name] if message is not None else []
        return names

    return hear


def sdp1_ear() -> Ear:
    framer = CobsFramer(PROFILE.framing, pauses=False)
    known = sdp1_names()

    def hear(chunk: bytes, now_s: float) -> list[str]:
        return [known.get(frame, "another") for frame in framer.feed(chunk, now_s) if isinstance(frame, bytes)]

    return hear


@cache
def sdp1_names() -> dict[bytes, str]:
    return {frame[:-2]: name for name, frame in sdp1_frames()}


def sdp1_frames() -> Iterator[tuple[str, bytes]]:
    """Every event and every response of the profile as a link frame with its checksum, and the frames of the link itself."""
    rng = random.Random(4)
    messages = {
        f"event {name}": SDP1.write_event(name, 7, 55, SDP1.write_event_body(name, filled(event.fields, rng)), replayed=False)
        for name, event in PROFILE.events.items()
    }
    for name, command in PROFILE.commands.items():
        spec = SDP1.command(name)
        messages[f"answer {name}"] = SDP1.write_response(spec, 9, Status.OK, filled(command.response, rng))
    frames = {name: bytes((0x00, 0x00, 0x21)) + message for name, message in messages.items() if len(message) <= 240}
    frames |= {"ack": b"\x20\x00\x01", "nak": b"\x40\x00\x03\x01", "ping": b"\xa0\x00\x02\x87", "fault": b"\xc0\x00\x00\x05"}
    frames["rstack"] = bytes.fromhex("80 00 5C 01 04 F0 00 00 00 00 2A")
    for name, frame in frames.items():
        yield name, frame + SDP1.checksum(frame).to_bytes(2, "big")


def sdp1_wires() -> Iterator[tuple[str, bytes]]:
    for name, frame in sdp1_frames():
        yield name, encode_frame(frame[:-2], SDP1.checksum)


def sister_of(name: str) -> PlainCodec:
    return PlainCodec(plain_profile(read_tables(SISTERS[name].read_bytes(), name), name))


@pytest.fixture(scope="module", params=[*EVERY, *sorted(SISTERS)])
def talk(request: pytest.FixtureRequest) -> Talk:
    return Talk(request.param)


def test_the_profiles_are_all_there() -> None:
    assert len(EVERY) == 10


@pytest.mark.requirement("EQ-49")
def test_each_message_is_heard_alone_and_all_of_them_in_any_pieces(talk: Talk) -> None:
    for name, wire in talk.wires.items():
        assert talk.hear([wire]) == [name]
    if talk.is_whole:
        assert talk.hear(list(talk.wires.values())) == list(talk.wires)
        return
    whole, rng = b"".join(talk.wires.values()), random.Random(talk.name)
    assert talk.hear([whole]) == list(talk.wires)
    assert talk.hear([whole[at : at + 1] for at in range(len(whole))]) == list(talk.wires)
    for _ in range(10):
        cuts = sorted(rng.sample(range(1, len(whole)), min(9, len(whole) - 1)))
        assert talk.hear([whole[a:b] for a, b in zip([0, *cuts], [*cuts, len(whole)], strict=True)]) == list(talk.wires)


@pytest.mark.requirement("EQ-49", "EQ-58")
def test_junk_before_and_after_a_frame_costs_none_and_junk_inside_costs_that_one(talk: Talk) -> None:
    for name, wire in talk.wires.items():
        for junk in JUNK:
            ear = talk.ear()
            ear(junk, 0.0)
            assert name in ear(wire, LATER_S) + ear(b"", 2 * LATER_S), f"{junk!r} before {name}"
            ear(junk, 2 * LATER_S)
            assert name in ear(wire, 3 * LATER_S) + ear(b"", 4 * LATER_S), f"{junk!r} after {name}"
            for at in {1, len(wire) // 2, len(wire) - 1}:
                names = stream(talk, wire, wire[:at] + junk + wire[at:])
                assert (names[0], names[-1]) == (name, name), f"{junk!r} inside {name} at {at}"


@pytest.mark.requirement("EQ-49", "EQ-58")
@pytest.mark.parametrize("damage", ["dropped", "inserted", "flipped"])
def test_a_damaged_byte_costs_its_frame_and_the_next_is_heard(talk: Talk, damage: str) -> None:
    rng = random.Random(damage)
    for name, wire in talk.wires.items():
        for at in positions(len(wire)):
            spoiled = spoil(wire, at, damage, rng)
            names = stream(talk, wire, spoiled)
            assert names[:1] == [name], f"{name}: {damage} at {at}"
            assert names[-1:] == [name], f"{name}: {damage} at {at}"
            if talk.is_checked:
                assert names.count(name) >= 3, f"{name}: {damage} at {at}: only the damaged one may be lost, but heard were {names}"


def spoil(wire: bytes, at: int, damage: str, rng: random.Random) -> bytes:
    match damage:
        case "dropped":
            return wire[:at] + wire[at + 1 :]
        case "inserted":
            return wire[:at] + rng.randbytes(1) + wire[at:]
        case _:
            return wire[:at] + bytes((wire[at] ^ 1 << rng.randrange(8),)) + wire[at + 1 :]


def stream(talk: Talk, wire: bytes, spoiled: bytes) -> list[str]:
    """A good frame, a damaged one, two good ones, without a pause."""
    pieces = [wire, spoiled, wire, wire]
    return talk.hear(pieces if talk.is_whole else [b"".join(pieces)])


def positions(size: int) -> list[int]:
    if size <= POSITIONS_MAX:
        return list(range(size))
    ends = POSITIONS_MAX // 4
    middle = random.Random(size).sample(range(ends, size - ends), POSITIONS_MAX - 2 * ends)
    return [*range(ends), *sorted(middle), *range(size - ends, size)]


def session_of(codec: PlainCodec) -> PlainSession:
    session = PlainSession(codec, PlainSettings(line=Line.serial(), may_write=True))
    session.connection_made(0.0)
    return session


def connected(codec: PlainCodec) -> PlainSession:
    """A session whose questions at the beginning are answered by the profile's own samples."""
    session, wires = session_of(codec), samples(codec)
    for _ in range(20):
        question = session._asking.out  # what the simulated device would have to answer
        session.bytes_to_send()
        if question is None or question.message.answer is None:
            break
        session.receive(wires[question.message.answer.messages[0]], 0.01)
    return session


def cards_of(outputs: list[HostOutput]) -> int:
    return sum(isinstance(output, EventArrived) and type(output.event).__name__ in CARD_EVENTS for output in outputs)


@pytest.mark.requirement("EQ-49")
@pytest.mark.parametrize("name", PLAIN)
def test_a_card_said_twice_is_one_where_the_profile_can_tell(name: str) -> None:
    codec = codec_of(name)
    told = [m.name for m in codec.profile.messages if m.means is not None and m.means.event in CARD_EVENTS]
    for message in told:
        session = connected(codec)
        wire = samples(codec)[message]
        once, again = cards_of(session.receive(wire, 1.0)), cards_of(session.receive(wire, 1.1))
        assert (once, again) == (1, 0 if tells_repeats(codec.profile) else 1), message
    assert told or any(m.ring is not None for m in codec.profile.messages) or not codec.profile.simulation.card


@pytest.mark.parametrize("name", PLAIN)
def test_two_answers_in_one_read_answer_one_question(name: str) -> None:
    """The late one and the wanted one: whichever counts, one question has one answer, and the other is no answer to anything."""
    codec = codec_of(name)
    for message in codec.profile.messages:
        if message.way is Way.IN or message.answer is None or message.name in codec.profile.connect.said:
            continue
        session = connected(codec)
        session.bytes_to_send()
        try:
            tid = session.request(Request(message.name, values_of(codec, message)), 1.0)
        except MisuseError as error:
            raise AssertionError(f"no sample of {message.name} can be said") from error
        answer = samples(codec).get(message.answer.messages[0])
        if answer is None or codec.profile.turns is not None:
            continue  # numbered answers have tests of their own
        outputs = session.receive(answer, 1.1) + session.receive(answer, 1.1) if Talk(name).is_whole else session.receive(answer * 2, 1.1)
        assert [output.tid for output in outputs if isinstance(output, CommandAnswered)] == [tid], message.name


@pytest.mark.parametrize("name", PLAIN)
def test_a_restart_in_a_hand_is_told_and_the_numbers_begin_again(name: str) -> None:
    codec = codec_of(name)
    profile, wires = codec.profile, samples(codec)
    start = next((m.name for m in profile.messages if m.means is not None and m.means.begins_numbering), None)
    card = next((m.name for m in profile.messages if m.means is not None and m.means.event == "CardRead"), None)
    if start is None or card is None:
        assert profile.cannot, "what it cannot tell is said"
        return
    session = connected(codec)
    before = session.receive(wires[card], 1.0)
    restarted = session.receive(wires[start], 20.0)
    after = session.receive(wires[card], 40.0)
    assert [cards_of(outputs) for outputs in (before, restarted, after)] == [1, 0, 1]
    assert any(isinstance(output, EventArrived) and isinstance(output.event, Started) for output in restarted)
    positions_told = [o.event.position for o in (*before, *after) if isinstance(o, EventArrived) and hasattr(o.event, "position")]
    assert positions_told == [1, 1], "the shoe's cards are counted anew"
