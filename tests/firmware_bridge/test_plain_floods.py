"""Rubbish without end on the line of a plain device: little work for each byte, few outputs, and the next true frame is found."""

from __future__ import annotations

import random

import pytest

from device_profiles.plain.frames import Reports, Way
from firmware_bridge.link.faults import FaultKind
from firmware_bridge.link.line import Line
from firmware_bridge.plain.codec import PlainCodec
from firmware_bridge.plain.cuts import Cut, Found
from firmware_bridge.plain.framers import GrammarReader, PlainFault, PlainFrame, PlainFramer, Trouble
from firmware_bridge.plain.session import PlainSession
from firmware_bridge.plain.settings import PlainSettings
from firmware_bridge.plain.standing import merged_faults
from firmware_bridge.session.outputs import EventRepeated, Fault, HostOutput, HostState, LinkLost
from tests.firmware_bridge.plain_samples import PLAIN, codec_of, samples

STREAMS = [name for name in PLAIN if not any(isinstance(g, Reports) for g in codec_of(name).profile.framing.grammars)]
CHUNK = 16
"""As many bytes as a UART hands over at once."""
FLOOD_BYTES = 2_400


def rubbish(name: str) -> dict[str, bytes]:
    """Floods by kind: noise, one letter for ever, line ends, and what begins this profile's frames again and again."""
    rng = random.Random(name)
    kinds = {"noise": rng.randbytes(FLOOD_BYTES), "letter": b"A" * FLOOD_BYTES, "zeros": bytes(FLOOD_BYTES), "ends": b"\r\n" * 1200}
    for reader in readers_of(codec_of(name)):
        if reader.start:
            kinds[f"start {reader.start.hex()}"] = (reader.start * FLOOD_BYTES)[:FLOOD_BYTES]
    return kinds


def readers_of(codec: PlainCodec) -> tuple[GrammarReader, ...]:
    return codec.framer(Way.IN)._framing.readers


def told(framer: PlainFramer, content: bytes, rng: random.Random) -> list[PlainFrame | Trouble]:
    """What these bytes are, given in pieces, with the silences at which a begun frame is given up."""
    found: list[PlainFrame | Trouble] = []
    now_s, at = 0.0, 0
    while at < len(content):
        size = rng.randrange(1, 60)
        now_s += 30.0 if rng.random() < 0.05 else 0.001
        found += framer.feed(content[at : at + size], now_s)
        at += size
    return found + framer.expire(now_s + 60.0)


@pytest.mark.requirement("EQ-58")
@pytest.mark.parametrize("name", STREAMS)
def test_passing_on_to_the_next_beginning_finds_what_trying_every_byte_finds(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    codec, rng = codec_of(name), random.Random(f"mixed {name}")
    wires = list(samples(codec).values())
    for turn in range(5):
        parts = []
        for _ in range(12):
            wire = rng.choice(wires)
            broken = bytearray(wire)
            broken[rng.randrange(len(broken))] ^= 1 << rng.randrange(8)
            parts.append(rng.choice([wire, bytes(broken), wire[: rng.randrange(len(wire))], rng.randbytes(rng.randrange(40)), b"A" * 700]))
        content = b"".join(parts)
        quick = codec.framer(Way.IN)
        found = told(quick, content, random.Random(turn))
        with monkeypatch.context() as patch:
            patch.setattr(GrammarReader, "next_begin", lambda _self, _waiting, at, over=False: at + 1)
            slow = codec.framer(Way.IN)
            expected = told(slow, content, random.Random(turn))
        assert [item for item in found if isinstance(item, PlainFrame)] == [item for item in expected if isinstance(item, PlainFrame)]
        checksums = [sum(isinstance(item, Trouble) and item.fault is PlainFault.CHECKSUM for item in items) for items in (found, expected)]
        assert checksums[0] == checksums[1]
        assert quick.held == slow.held


@pytest.mark.requirement("EQ-58", "T-27")
@pytest.mark.parametrize("name", STREAMS)
def test_a_flood_of_rubbish_costs_at_most_one_look_a_byte(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    codec, attempts = codec_of(name), 0

    def counting(cut: Cut) -> Cut:
        def counted(waiting: bytes, at: int) -> Found:
            nonlocal attempts
            attempts += 1
            return cut(waiting, at)

        return counted

    for reader in readers_of(codec):
        monkeypatch.setattr(reader, "cut", counting(reader.cut))
    for kind, content in rubbish(name).items():
        framer, attempts = codec.framer(Way.IN), 0
        for at in range(0, len(content), CHUNK):
            framer.feed(content[at : at + CHUNK], 0.0)
        feeds = len(content) // CHUNK + 1
        assert attempts <= (len(content) + feeds) * len(readers_of(codec)), kind
        if kind == "letter" and codec.profile.name == "json-lines-reader":
            assert attempts <= 2 * feeds, "a line without an end is passed on in pieces"


@pytest.mark.requirement("EQ-58", "T-27")
@pytest.mark.parametrize("name", STREAMS)
def test_a_flood_of_rubbish_tells_its_owner_little_and_keeps_the_link(name: str) -> None:
    codec = codec_of(name)
    for kind, content in rubbish(name).items():
        session = PlainSession(codec, PlainSettings(line=Line(115_200, pauses=False), first_wanted=1))
        session.connection_made(0.0)
        running = session.state is HostState.RUNNING
        for at in range(0, len(content), CHUNK):
            outputs = session.receive(content[at : at + CHUNK], 0.001 * at)
            faults = [output.kind for output in outputs if isinstance(output, Fault)]
            assert len(faults) == len(set(faults)), f"{kind}: one output for each kind of fault"
            assert not any(isinstance(output, LinkLost) for output in outputs), kind
        assert (session.state is HostState.RUNNING) is running


@pytest.mark.requirement("EQ-58")
@pytest.mark.parametrize("name", STREAMS)
def test_a_frame_without_end_wakes_nobody_before_the_line_is_silent(name: str) -> None:
    """What is held of a begun frame is looked at again when the line was silent, counted from its last byte."""
    codec = codec_of(name)
    for content in rubbish(name).values():
        session = PlainSession(codec, PlainSettings(line=Line(115_200, pauses=False), first_wanted=1))
        session.connection_made(0.0)
        now_s = 0.0
        for at in range(0, 480, CHUNK):
            now_s += 0.1
            session.receive(content[at : at + CHUNK], now_s)
            session.bytes_to_send()
            for _ in range(3):  # whatever is due now is over when it was done
                if (due_s := session.next_deadline()) is not None and due_s <= now_s:
                    session.tick(now_s)
            due_s = session.next_deadline()
            assert due_s is None or due_s > now_s


def test_faults_of_one_kind_become_one_at_the_place_of_the_first() -> None:
    crc, late = Fault(FaultKind.CRC, 1, "3 bytes"), Fault(FaultKind.STALE_ANSWER, 1, "late")
    between = EventRepeated(1, 7, reacknowledged=True)
    outputs: list[HostOutput] = [crc, between, late, Fault(FaultKind.CRC, 2, "1 bytes")]
    assert merged_faults(outputs) == [Fault(FaultKind.CRC, 3, "3 bytes"), between, late]
    assert merged_faults([between]) == [between]
