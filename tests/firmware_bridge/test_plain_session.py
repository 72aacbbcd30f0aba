"""A plain device as its owner hears it: repetitions, numbers, rings, answers, silence, echo, identity."""

from __future__ import annotations

import pytest

from firmware_bridge.cards import Sealed, parse_card
from firmware_bridge.commands import Lock, Request, Unlock
from firmware_bridge.errors import MisuseError, NotReadyError
from firmware_bridge.events import CardFlag, CardRead, DeviceEvent, ErrorRaised, JournalLost, Started, Status
from firmware_bridge.link.faults import FaultKind, LossCause
from firmware_bridge.link.line import Line
from firmware_bridge.plain.session import PlainSession
from firmware_bridge.plain.settings import PlainSettings
from firmware_bridge.session.outputs import (
    CommandAnswered,
    CommandFailed,
    EventArrived,
    Fault,
    HostOutput,
    HostState,
    IdentityMismatch,
    LinkLost,
    Running,
)
from tests.firmware_bridge.plain_samples import codec_of

EIGHT_OF_SPADES = bytes.fromhex("05 33 44 81 B8 03 34 44")
KING_OF_HEARTS = bytes.fromhex("05 34 44 91 CD 03 32 46")
STARTED = bytes.fromhex("05 31 53 03 36 31")


def session_of(name: str, **settings: object) -> PlainSession:
    session = PlainSession(codec_of(name), PlainSettings(**{"line": Line.serial()} | settings))  # type: ignore[arg-type]
    session.connection_made(0.0)
    return session


def events(outputs: list[HostOutput]) -> list[DeviceEvent]:
    return [output.event for output in outputs if isinstance(output, EventArrived)]


def cards(outputs: list[HostOutput]) -> list[Sealed]:
    return [event.card for event in events(outputs) if isinstance(event, CardRead)]


def sealed(*names: str) -> list[Sealed]:
    return [Sealed(parse_card(name)) for name in names]


def test_what_is_said_three_times_happens_once() -> None:
    session = session_of("angel-eye-ii-ex")
    outputs = [out for at in range(3) for out in session.receive(EIGHT_OF_SPADES, 0.1 * at)]
    assert cards(outputs) == sealed("8s")
    assert cards(session.receive(KING_OF_HEARTS * 3, 0.4)) == sealed("Kh")


def test_the_same_bytes_much_later_are_another_card() -> None:
    session = session_of("angel-eye-ii-ex")
    assert cards(session.receive(EIGHT_OF_SPADES * 3, 0.0) + session.receive(EIGHT_OF_SPADES * 3, 30.0)) == sealed("8s", "8s")


def test_a_start_said_three_times_restarts_the_count_of_cards_once() -> None:
    session = session_of("angel-eye-ii-ex")
    session.receive(EIGHT_OF_SPADES, 0.0)
    started = events(session.receive(STARTED * 3, 1.0))
    assert [type(event) for event in started] == [Started]
    (card,) = events(session.receive(KING_OF_HEARTS, 2.0))
    assert isinstance(card, CardRead)
    assert (card.eseq, card.position) == (3, 1)


def test_event_numbers_go_on_from_the_last_one_stored() -> None:
    session = session_of("angel-eye-ii-ex", first_wanted=42)
    assert [event.eseq for event in events(session.receive(EIGHT_OF_SPADES, 0.0))] == [42]


def test_a_read_only_device_is_never_written_to() -> None:
    session = session_of("angel-eye-ii-ex")
    with pytest.raises(NotReadyError):
        session.request(Lock(), 0.0)
    session.receive(EIGHT_OF_SPADES, 0.0)
    session.acknowledge(1, 0.0)
    assert session.bytes_to_send() == b""


def test_a_granted_command_is_answered_by_what_comes_next() -> None:
    session = session_of("angel-eye-ii-ex", may_write=True)
    tid = session.request(Lock(), 0.0)
    assert session.bytes_to_send() == bytes.fromhex("02 4F 50 4C 4B 30 32 03 31 39")
    answers = session.receive(EIGHT_OF_SPADES + b"\x06", 0.1)
    assert [type(answer) for answer in answers] == [EventArrived, CommandAnswered]
    refused = session.request(Unlock(cards=1), 1.0)
    session.bytes_to_send()
    (no,) = session.receive(b"\x1521", 1.1)
    assert isinstance(no, CommandAnswered)
    assert (tid, refused, no.tid, no.status, no.fields) == (1, 2, 2, Status.DENIED, {"reason": "21"})


def test_a_command_without_an_answer_is_repeated_and_then_fails() -> None:
    session = session_of("angel-eye-ii-ex", may_write=True)
    session.request(Lock(), 0.0)
    sent = 1 if session.bytes_to_send() else 0
    outputs: list[HostOutput] = []
    for _ in range(10):
        due_s = session.next_deadline()
        if due_s is None:
            break
        outputs += session.tick(due_s)
        sent += 1 if session.bytes_to_send() else 0
    assert sent == 3
    assert [type(output) for output in outputs] == [CommandFailed]


def test_what_the_profile_does_not_know_is_refused_by_name() -> None:
    session = session_of("angel-eye-ii-ex", may_write=True)
    with pytest.raises(MisuseError):
        session.request(Request("self-destruct"), 0.0)
    with pytest.raises(MisuseError):
        session.request(Request("card"), 0.0)


def test_tokens_without_line_ends_are_cards_and_alarms() -> None:
    session = session_of("bee-tek")
    stream = b" [Game]<Card:4S>  [Manual Burn Cards]<Card:KD> noise [Game]<Game> [GameAlarm]<Alarm:E3 Card Not Read> [Game]<Card:10H> "
    outputs = [output for byte in stream for output in session.receive(bytes((byte,)), 0.0)]
    heard = events(outputs)
    assert [type(event) for event in heard] == [CardRead, CardRead, CardRead, ErrorRaised, CardRead]
    assert cards(outputs) == [*sealed("4s", "Kd"), Sealed(parse_card("?")), *sealed("Th")]
    flags = [event.flags for event in heard if isinstance(event, CardRead)]
    assert flags == [CardFlag.NONE, CardFlag.MANUAL, CardFlag.UNREADABLE, CardFlag.NONE]
    assert [output.kind for output in outputs if isinstance(output, Fault)] == [FaultKind.UNFRAMED]


def test_a_tag_is_the_card_of_the_tables_own_map() -> None:
    session = session_of("rfid-uid-lines", cards={"04AABBCC": "Qd", "04AABBCD": "Qd"})
    heard = session.receive(b"0|04aabbcc\r\n1|04AABBCD\r\n0|0500000000\r\n", 0.0)
    assert cards(heard) == [*sealed("Qd", "Qd"), Sealed(parse_card("?"))]


def test_a_gap_in_the_numbers_is_told_before_the_card_after_it() -> None:
    session = session_of("json-lines-reader", cards={"04AABBCC": "Qd"})

    def line(seq: int) -> bytes:
        return b'# comment\n{"type":"card","seq":%d,"card_uid":"04AABBCC"}\n' % seq

    assert len(events(session.receive(line(5), 0.0))) == 1
    assert events(session.receive(line(5), 0.1)) == []
    lost, card = events(session.receive(line(9), 0.2))
    assert isinstance(lost, JournalLost)
    assert (lost.first, lost.last, type(card)) == (6, 8, CardRead)


def test_a_transaction_is_acknowledged_when_its_event_is_durable_and_again_when_it_comes_again() -> None:
    session = session_of("hid-shoe", line=Line.stream())
    codec = codec_of("hid-shoe")
    session.bytes_to_send()
    session.receive(codec.write("identity", {"serial": "SN1".ljust(12, "\0"), "firmware": "1.0".ljust(8, "\0")}), 0.0)
    card = codec.write("card", {"transaction": 7, "suit": "h", "rank": "9", "remaining": 100})
    assert len(events(session.receive(card, 0.1))) == 1
    assert session.bytes_to_send() == b""
    session.receive(card, 0.5)
    assert session.bytes_to_send() == b"", "the event is not durable yet"
    session.acknowledge(1, 0.6)
    assert session.bytes_to_send() == bytes((2, 7, 0, 0))
    assert events(session.receive(card, 1.5)) == []
    assert session.bytes_to_send() == bytes((2, 7, 0, 0))


def test_a_device_that_tells_another_serial_number_is_refused() -> None:
    session = session_of("hid-shoe", line=Line.stream(), expected_serial="SN2")
    identity = codec_of("hid-shoe").write("identity", {"serial": "SN1".ljust(12, "\0"), "firmware": "1.0".ljust(8, "\0")})
    assert [type(output) for output in session.receive(identity, 0.0)] == [IdentityMismatch]
    assert session.state is HostState.REFUSED


def ring(counter: int, *newest_first: int) -> bytes:
    entries = b"".join(bytes((1 if code else 0, code)) for code in (*newest_first, 0, 0, 0, 0, 0)[:5])
    return codec_of("cctalk-shoe").write("events", {"counter": counter, "ring": entries})


def polled() -> PlainSession:
    """A ccTalk shoe that has said who it is and was polled once."""
    session = session_of("cctalk-shoe")
    echo = session.bytes_to_send()
    session.receive(echo + codec_of("cctalk-shoe").write("text", {"to": 1, "text": "Card Shoe"}), 0.01)
    session.tick(0.01)
    return session


def answer(session: PlainSession, wire: bytes, now_s: float) -> list[HostOutput]:
    """The device answers the poll that is out; the line gives back the poll first."""
    poll = session.bytes_to_send()
    assert poll == bytes.fromhex("02 00 01 E5 18")
    outputs = session.receive(poll + wire, now_s)
    due_s = session.next_deadline()
    assert due_s is not None
    session.tick(due_s)
    return outputs


def test_a_polled_ring_gives_each_event_once_oldest_first() -> None:
    session = polled()
    assert events(answer(session, ring(3, 0x21, 0x22, 0x23), 0.02)) == [], "what lay in the ring before belongs to nobody"
    assert cards(answer(session, ring(5, 0x35, 0x01, 0x21, 0x22, 0x23), 0.3)) == sealed("Ac", "5s")
    assert cards(answer(session, ring(5, 0x35, 0x01, 0x21, 0x22, 0x23), 0.6)) == []


def test_more_events_than_the_ring_holds_are_told_as_lost() -> None:
    session = polled()
    answer(session, ring(250), 0.02)
    heard = events(answer(session, ring(2, 0x01, 0x02, 0x03, 0x04, 0x05), 0.3))
    assert isinstance(heard[0], JournalLost)
    assert heard[0].last == 2
    assert len(heard) == 6


def test_a_silent_polled_device_is_lost_and_found_again() -> None:
    session = polled()
    outputs: list[HostOutput] = []
    while not any(isinstance(output, LinkLost) for output in outputs):
        due_s = session.next_deadline()
        assert due_s is not None
        assert due_s < 10
        outputs += session.tick(due_s)
        session.bytes_to_send()
    lost = next(output for output in outputs if isinstance(output, LinkLost))
    assert lost.cause is LossCause.SILENCE
    due_s = session.next_deadline()
    assert due_s is not None
    session.tick(due_s)
    back = session.receive(session.bytes_to_send() + codec_of("cctalk-shoe").write("text", {"to": 1, "text": "Card Shoe"}), due_s + 0.01)
    assert any(isinstance(output, Running) for output in back)


def test_nothing_shows_a_card() -> None:
    session = session_of("angel-eye-ii-ex")
    outputs = session.receive(EIGHT_OF_SPADES, 0.0)
    assert "8s" not in repr(outputs)
    damaged = session.receive(EIGHT_OF_SPADES[:4] + b"\xb9" + EIGHT_OF_SPADES[5:] + KING_OF_HEARTS, 1.0)
    faults = [output for output in damaged if isinstance(output, Fault)]
    assert faults
    assert "b9" not in repr(faults).lower()
