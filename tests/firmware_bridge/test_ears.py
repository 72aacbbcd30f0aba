"""Ears on another host's line: every event once and in order, what is missing told as lost, and not one byte out."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from device_profiles.plain.frames import Way
from device_profiles.plain.profile import PlainProfile
from firmware_bridge.cards import FRENCH_CARDS
from firmware_bridge.codec import Codec
from firmware_bridge.commands import Lock, Request, Unlock
from firmware_bridge.ear.base import Ear
from firmware_bridge.ear.plain import PlainHostEar
from firmware_bridge.ear.sdp1 import WAIT_S, DeviceEar, HostEar
from firmware_bridge.errors import MisuseError, NotReadyError
from firmware_bridge.events import DeviceEvent, JournalLost
from firmware_bridge.framing import encode_frame
from firmware_bridge.link.faults import FaultKind, LossCause
from firmware_bridge.link.line import Line
from firmware_bridge.plain.session import PlainSession
from firmware_bridge.plain.settings import PlainSettings
from firmware_bridge.round_events import HostAsked
from firmware_bridge.session.outputs import (
    EventArrived,
    EventRepeated,
    Fault,
    HostOutput,
    HostState,
    Identified,
    IdentityMismatch,
    LinkLost,
    Running,
)
from hil.simulated.speaker import Speaker
from tests.firmware_bridge.conftest import KEY
from tests.firmware_bridge.plain_samples import PLAIN, codec_of, samples

LINE = Line.stream()


def connected(ear: Ear) -> Ear:
    told = [type(output).__name__ for output in ear.connection_made(0.0)]
    assert told == ["LinkUp", "Identified", "Running"]
    return ear


def events(outputs: list[HostOutput]) -> list[DeviceEvent]:
    return [output.event for output in outputs if isinstance(output, EventArrived)]


def numbers(outputs: list[HostOutput]) -> list[int]:
    return [event.eseq for event in events(outputs)]


def overheard(way) -> list[tuple[float, bytes]]:  # type: ignore[no-untyped-def]
    """What comes out of a line from now on, with its times: a tap at the far end hears the same damage as the other host."""
    pieces: list[tuple[float, bytes]] = []
    due = way.due

    def listening(now: float) -> list[bytes]:
        found: list[bytes] = due(now)
        pieces.extend((now, piece) for piece in found)
        return found

    way.due = listening
    return pieces


def hear(ear: Ear, pieces: list[tuple[float, bytes]]) -> list[HostOutput]:
    outputs: list[HostOutput] = []
    for at, piece in pieces:
        deadline = ear.next_deadline()
        if deadline is not None and deadline <= at:
            outputs += ear.tick(deadline)
        outputs += ear.receive(piece, at)
        assert ear.bytes_to_send() == b""
    return outputs


@pytest.fixture
def event_frames(codec: Codec, pair) -> Callable[[int], bytes]:  # type: ignore[no-untyped-def]
    """Frames of events on the wire, by their number."""
    pair.to_host.tap.clear()
    for _ in range(20):
        pair.record()
        pair.run(0.05)
    frames = [content for content in pair.to_host.tap if len(content) > 20]
    assert len(frames) == 20
    first = pair.events()[-20]
    return lambda eseq: frames[eseq - first]


@pytest.mark.requirement("SDP/1 1.7")
def test_a_session_of_another_host_is_heard_from_power_on_with_identity_and_every_event(make_pair) -> None:  # type: ignore[no-untyped-def]
    pair = make_pair()
    ear = connected(DeviceEar(pair.codec, LINE, 1, "SN000123"))
    pieces = overheard(pair.to_host)
    pair.connect()
    for _ in range(5):
        pair.record()
        pair.run(0.1)
    outputs = hear(ear, pieces)
    assert numbers(outputs) == pair.events()
    identified = [output for output in outputs if isinstance(output, Identified)]
    assert identified[-1].identity.serial == "SN000123"
    assert not [output for output in outputs if isinstance(output, Fault)]


@pytest.mark.requirement("EQ-51")
def test_another_device_than_the_registered_one_is_refused_when_it_says_who_it_is(make_pair) -> None:  # type: ignore[no-untyped-def]
    pair = make_pair()
    ear = connected(DeviceEar(pair.codec, LINE, 1, "SN999999"))
    pieces = overheard(pair.to_host)
    pair.connect()
    assert [type(output) for output in hear(ear, pieces)][-1] is IdentityMismatch
    assert ear.state is HostState.REFUSED


@pytest.mark.parametrize("seed", range(6))
def test_on_a_bad_line_every_event_is_heard_once_and_in_order_or_told_as_lost(make_pair, make_faults, seed: int) -> None:  # type: ignore[no-untyped-def]
    pair = make_pair(seed=seed, faults=make_faults(drop=0.05, double=0.05, flip=0.05, cut=0.03, split=0.1))
    ear = connected(DeviceEar(pair.codec, LINE, 1))
    pieces = overheard(pair.to_host)
    pair.connect()
    for _ in range(40):
        pair.record()
        pair.run(0.2)
    pair.run(3.0)
    rng = random.Random(seed)
    outputs = hear(ear, [piece for piece in pieces if rng.random() > 0.02])
    heard, last = events(outputs), 0
    for event in heard:
        first = event.first if isinstance(event, JournalLost) else event.eseq
        assert first == last + 1 or last == 0
        last = event.eseq
    assert last >= pair.events()[-1] - 8, f"seed {seed}"


def test_an_event_that_was_damaged_for_both_comes_again_and_keeps_its_place(codec: Codec, event_frames: Callable[[int], bytes]) -> None:
    ear = connected(DeviceEar(codec, LINE, 1))
    outputs = hear(ear, [(0.0, event_frames(n)) for n in (2, 4, 5, 3, 6)])
    assert numbers(outputs) == [2, 3, 4, 5, 6]
    assert ear.next_deadline() is None


def test_an_event_that_only_the_ear_missed_is_told_as_lost_after_a_while(codec: Codec, event_frames: Callable[[int], bytes]) -> None:
    ear = connected(DeviceEar(codec, LINE, 1))
    assert numbers(hear(ear, [(0.0, event_frames(n)) for n in (2, 3, 6, 7)])) == [2, 3]
    due = ear.next_deadline()
    assert due == WAIT_S
    heard = events(ear.tick(due))
    assert [event.eseq for event in heard] == [5, 6, 7]
    assert isinstance(heard[0], JournalLost)
    assert (heard[0].first, heard[0].last) == (4, 5)
    late = ear.receive(event_frames(4), 9.0)
    assert events(late) == []
    assert isinstance(late[0], EventRepeated)


def test_no_more_events_wait_than_a_device_may_have_under_way(codec: Codec, event_frames: Callable[[int], bytes]) -> None:
    ear = connected(DeviceEar(codec, LINE, 1))
    assert numbers(hear(ear, [(0.0, event_frames(n)) for n in (2, *range(4, 13))])) == [2, 3, *range(4, 13)]


def test_after_a_restart_what_was_missed_shows_by_its_numbers(codec: Codec, event_frames: Callable[[int], bytes]) -> None:
    ear = connected(DeviceEar(codec, LINE, 4))
    assert events(ear.receive(event_frames(3), 0.0)) == [], "stored before"
    assert numbers(ear.receive(event_frames(4), 0.0)) == [4]
    later = connected(DeviceEar(codec, LINE, 4))
    later.receive(event_frames(8), 0.0)
    heard = events(later.tick(WAIT_S))
    assert isinstance(heard[0], JournalLost)
    assert [event.eseq for event in heard] == [7, 8]


def test_the_same_number_with_other_content_is_another_device(codec: Codec, event_frames: Callable[[int], bytes]) -> None:
    ear = connected(DeviceEar(codec, LINE, 1))
    ear.receive(event_frames(2), 0.0)
    body = codec.write_event_body("card_read", {"card": 0x42, "flags": [], "confidence": 9, "position": 1, "remaining": 3})
    frame = encode_frame(bytes((0, 0, 0)) + codec.write_event("card_read", 2, 5, body, replayed=False), codec.checksum)
    (fault,) = [output for output in ear.receive(frame, 0.1) if isinstance(output, Fault)]
    assert fault.kind is FaultKind.EVENT_CHANGED


def test_a_sealed_session_tells_nothing_and_counts_as_a_lost_line_while_it_lasts(make_pair) -> None:  # type: ignore[no-untyped-def]
    sealed, plain = make_pair(key=KEY), make_pair()
    ear = connected(DeviceEar(sealed.codec, LINE, 1))
    pieces = overheard(sealed.to_host)
    sealed.connect()
    sealed.record()
    sealed.run(0.5)
    outputs = hear(ear, pieces)
    assert events(outputs) == []
    (lost,) = [output for output in outputs if isinstance(output, LinkLost)]
    assert lost.cause is LossCause.WRONG_SEAL
    open_pieces = overheard(plain.to_host)
    plain.connect()
    plain.record()
    plain.run(0.5)
    outputs = hear(ear, open_pieces)
    assert [output for output in outputs if isinstance(output, Running)]
    assert numbers(outputs) == plain.events()


def test_the_other_hosts_orders_are_heard_once_by_name_and_its_link_talk_is_not_told(make_pair, make_faults) -> None:  # type: ignore[no-untyped-def]
    pair = make_pair(faults=make_faults(double=0.5))
    ear = connected(HostEar(pair.codec, LINE, 1))
    pieces = overheard(pair.to_device)
    pair.connect()
    for command in (Unlock(4), Lock(), Request("status"), Lock()):
        pair.request(command)
        pair.run(0.2)
    heard = events(hear(ear, pieces))
    assert [event.order for event in heard if isinstance(event, HostAsked)] == ["gate unlock", "gate lock", "gate lock"]
    assert [event.eseq for event in heard] == [1, 2, 3]


def test_an_ear_takes_no_command_and_says_when_its_port_is_gone(codec: Codec) -> None:
    ear = connected(DeviceEar(codec, LINE, 1))
    with pytest.raises(NotReadyError):
        ear.request(Lock(), 0.0)
    ear.acknowledge(1, 0.0)
    assert [type(output) for output in ear.connection_lost(1.0)] == [LinkLost]
    assert ear.receive(b"\0\0", 2.0) == ear.close(2.0) == []
    assert ear.bytes_to_send() == b""


# ---- devices of foreign protocols


def test_the_orders_that_another_host_gives_an_angel_eye_are_heard() -> None:
    codec = codec_of("angel-eye-ii-ex")
    ear = connected(PlainHostEar(codec, LINE, 1))
    wire = codec.write("lock-order") + codec.write("unlock-order") + b"\x02OP" + codec.write("confirm-round-order")
    heard = events(ear.receive(wire, 0.0))
    assert [event.order for event in heard if isinstance(event, HostAsked)] == ["lock-order", "unlock-order", "confirm-round-order"]


def words_of(profile: PlainProfile) -> list[bytes]:
    """Everything that either end of such a line may say."""
    codec = codec_of(profile.name)
    return [*samples(codec, Way.IN).values(), *samples(codec, Way.OUT).values()]


@pytest.mark.parametrize("name", PLAIN)
def test_whatever_passes_on_a_line_nothing_is_written_to_it(name: str) -> None:
    codec, rng = codec_of(name), random.Random(7)
    session = PlainSession(codec, PlainSettings(line=LINE, may_write=True, listens_only=True))
    session.connection_made(0.0)
    words, now_s = words_of(codec.profile), 0.0
    for _ in range(200):
        now_s += rng.choice((0.001, 0.2, 3.0))
        for output in session.receive(rng.choice(words), now_s):
            if isinstance(output, EventArrived):
                session.acknowledge(output.event.eseq, now_s)
        session.tick(now_s)
        assert session.bytes_to_send() == b""
    for message in codec.profile.messages:
        with pytest.raises((NotReadyError, MisuseError)):
            session.request(Request(message.name), now_s)
    assert session.bytes_to_send() == b""


def test_on_one_wire_for_both_ways_the_other_hosts_polls_are_no_faults_and_each_card_is_heard_once() -> None:
    codec = codec_of("cctalk-shoe")
    session, speaker = PlainSession(codec, PlainSettings(line=LINE, listens_only=True)), Speaker(codec)
    session.connection_made(0.0)
    poll = codec.write("read-events")
    outputs: list[HostOutput] = []
    for index in range(12):
        asked = codec.read(next(item for item in codec.framer(Way.OUT, pauses=True).feed(poll, 0.0)), way=Way.OUT)  # type: ignore[arg-type]
        assert asked is not None
        outputs += session.receive(poll + speaker.answer(asked), 0.2 * index)
        speaker.card(FRENCH_CARDS[index])
    assert len(events(outputs)) == 11
    assert not [output for output in outputs if isinstance(output, Fault)]
