"""The stream of events at both sides: order, gaps, repetition, acknowledgement, what is lost and what is changed."""

from __future__ import annotations

import pytest

from firmware_bridge.commands import Lock
from firmware_bridge.errors import MisuseError
from firmware_bridge.events import CardFlag, CardRead, UnknownEvent
from firmware_bridge.link.faults import FaultKind, LossCause
from firmware_bridge.session.device import JournalFullError
from firmware_bridge.session.outputs import (
    EventArrived,
    EventGap,
    EventRepeated,
    EventsLost,
    Fault,
    HostState,
    LinkLost,
    RefusalKind,
    Refused,
    Running,
)


def kinds(outputs):
    return [type(output) for output in outputs]


def faults(outputs):
    return [output.kind for output in outputs if isinstance(output, Fault)]


@pytest.mark.requirement("SDP/1 1.7", "EQ-96")
def test_nothing_is_acknowledged_before_the_owner_says_it_is_durable(puppet):
    told = puppet.event(1)
    assert kinds(told) == [EventArrived]
    puppet.wait(0.5)
    assert puppet.acked == []
    puppet.host.acknowledge(1, puppet.now)
    puppet.flow()
    assert puppet.acked == [1]
    assert (puppet.host.wanted, puppet.host.durable) == (2, 1)


@pytest.mark.requirement("SDP/1 1.7")
def test_acknowledgement_is_cumulative_and_an_older_one_says_nothing(puppet):
    for eseq in (1, 2, 3):
        puppet.event(eseq)
    puppet.host.acknowledge(3, puppet.now)
    puppet.flow()
    puppet.host.acknowledge(2, puppet.now)
    puppet.flow()
    assert puppet.acked == [3]
    with pytest.raises(MisuseError):
        puppet.host.acknowledge(4, puppet.now)


@pytest.mark.requirement("SDP/1 1.12")
def test_the_same_event_again_has_no_second_effect_and_is_acknowledged_again(puppet):
    puppet.event(1)
    told = puppet.event(1, replayed=True)
    assert told == [EventRepeated(1, 1, False)]
    assert puppet.acked == []
    puppet.host.acknowledge(1, puppet.now)
    puppet.flow()
    assert puppet.event(1) == [EventRepeated(1, 1, True)]
    assert puppet.acked == [1, 1]


@pytest.mark.requirement("SDP/1 1.12", "T-29")
def test_the_same_number_with_other_content_is_a_fault(puppet):
    puppet.event(1, is_open=False)
    told = puppet.event(1, is_open=True)
    assert faults(told) == [FaultKind.EVENT_CHANGED]
    assert EventRepeated not in kinds(told)
    card = {"card": 0x41, "confidence": 98, "position": 1, "remaining": 51}
    puppet.event(2, "card_read", flags=0, **card)
    assert kinds(puppet.event(2, "card_read", flags=0, replayed=True, **card)) == [EventRepeated]
    assert faults(puppet.event(2, "card_read", flags=1, **card)) == [FaultKind.EVENT_CHANGED]


@pytest.mark.requirement("SDP/1 1.12")
def test_a_gap_asks_for_the_missing_event_once_and_takes_nothing_until_it_comes(puppet):
    puppet.event(1)
    puppet.host.acknowledge(1, puppet.now)
    told = puppet.event(3)
    assert told == [EventGap(1, 2, 3)]
    assert puppet.asked[-1][0] == "event_resume"
    assert puppet.asked[-1][2] == {"first_wanted": 2}
    asked = len(puppet.asked)
    assert puppet.event(4) == []
    assert len(puppet.asked) == asked
    puppet.answer("event_resume", puppet.asked[-1][1], oldest=1, newest=4)
    told = [output for eseq in (2, 3, 4) for output in puppet.event(eseq)]
    assert [output.event.eseq for output in told] == [2, 3, 4]
    assert all(output.event.replayed for output in told), "older than the resume"
    assert not puppet.event(5)[0].event.replayed


def test_a_gap_that_stays_gives_the_link_up(puppet):
    told = []
    for _ in range(10):
        told += puppet.event(5)
        if puppet.host.state is not HostState.RUNNING:
            break
        puppet.answer("event_resume", puppet.asked[-1][1], oldest=1, newest=9)
    assert kinds(told).count(EventGap) == 3
    assert [output.cause for output in told if isinstance(output, LinkLost)] == [LossCause.EVENT_GAP]


@pytest.mark.requirement("SDP/1 1.12")
def test_events_the_device_no_longer_has_are_named(make_puppet):
    puppet = make_puppet(first_wanted=3)
    told = puppet.up_to("", oldest=7, newest=9)
    assert kinds(told)[-2:] == [Running, EventsLost]
    assert told[-1] == EventsLost(1, 3, 6)
    assert [output.event.eseq for output in puppet.event(7)] == [7]
    puppet.host.acknowledge(7, puppet.now)
    puppet.flow()
    assert puppet.acked == [7]


def test_events_lost_inside_a_gap_are_named_too(puppet):
    puppet.event(1)
    puppet.event(5)
    told = puppet.answer("event_resume", puppet.asked[-1][1], oldest=4, newest=5)
    assert told == [EventsLost(1, 2, 3)]
    assert [output.event.eseq for output in puppet.event(4)] == [4]


def test_a_device_that_forgets_events_in_a_gap_is_refused(puppet):
    for eseq in (1, 2, 3):
        puppet.event(eseq)
    puppet.event(9)
    told = puppet.answer("event_resume", puppet.asked[-1][1], oldest=1, newest=1)
    assert [output.kind for output in told if isinstance(output, Refused)] == [RefusalKind.HISTORY]


@pytest.mark.requirement("SDP/1 1.7", "T-27")
def test_more_than_eight_unacknowledged_events_are_not_taken(puppet):
    told = [output for eseq in range(1, 13) for output in puppet.event(eseq)]
    assert [output.event.eseq for output in told if isinstance(output, EventArrived)] == list(range(1, 9))
    assert FaultKind.EVENT_FLOOD in faults(told)
    puppet.host.acknowledge(8, puppet.now)
    puppet.flow()
    assert [output.event.eseq for output in puppet.event(9)] == [9]


def test_events_before_the_resume_are_not_taken(make_puppet):
    puppet = make_puppet()
    puppet.up_to("event_resume")
    told = puppet.event(1)
    assert faults(told) == [FaultKind.BAD_MESSAGE]
    assert puppet.host.wanted == 1


@pytest.mark.requirement("SDP/1 1.9")
def test_unknown_and_unreadable_events_count_and_are_acknowledged(puppet):
    unknown = bytes((3, 0x7E, 0, 0)) + (1).to_bytes(4, "big") + bytes(4) + b"vendor"
    (arrived,) = puppet.say(unknown)
    assert arrived.event == UnknownEvent(1, 0, False, 0x7E, 6)
    short = bytes((3, 0x20, 0, 0)) + (2).to_bytes(4, "big") + bytes(4) + b"\x41"
    told = puppet.say(short)
    assert told[0].event == UnknownEvent(2, 0, False, 0x20, 1)
    assert faults(told) == [FaultKind.BAD_MESSAGE]
    puppet.host.acknowledge(2, puppet.now)
    puppet.flow()
    assert puppet.acked == [2]
    assert faults(puppet.say(bytes((3, 0x20, 0, 0, 0, 0, 0)))) == [FaultKind.BAD_MESSAGE]
    assert puppet.host.state is HostState.RUNNING


@pytest.mark.parametrize("message", [b"\1\3\0\1", b"\4\0\0\0\0\0\0\1", b"\x09\0\0\0", b"\3\x20", b""])
def test_messages_a_device_may_not_send_are_faults(puppet, message):
    told = puppet.say(message)
    assert faults(told) == [FaultKind.BAD_MESSAGE]
    assert puppet.host.state is HostState.RUNNING


@pytest.mark.requirement("SDP/1 1.7")
def test_the_device_keeps_at_most_eight_unacknowledged_and_repeats_after_1_2_and_4_seconds(make_pair):
    pair = make_pair(acknowledges=False)
    pair.connect()
    pair.host.acknowledge(1, pair.now)
    pair.run(1.5)
    start = pair.now
    for position in range(20):
        pair.record(position=position)
    pair.run(0.2)
    assert pair.events() == list(range(1, 10))
    repeats = []
    while not pair.told(LinkLost):
        before = len(pair.told(EventRepeated))
        pair.step(pair.now + 1)
        if len(pair.told(EventRepeated)) > before:
            repeats.append(round(pair.now - start, 1))
    assert sorted(set(repeats)) == [1.0, 2.0, 4.0]
    assert pair.mechanism.lost[-1] is LossCause.NO_EVENT_ACK
    assert round(pair.now - start, 1) == 5.0
    assert not [output for output in pair.told(EventRepeated) if output.reacknowledged]


@pytest.mark.requirement("SDP/1 1.7")
def test_a_repeated_event_carries_the_replay_flag_and_a_first_one_does_not(make_pair, codec):
    pair = make_pair(acknowledges=False)
    pair.connect()
    pair.host.acknowledge(1, pair.now)
    pair.record(position=9)
    pair.run(0.5)
    first = [output.event for output in pair.told(EventArrived) if isinstance(output.event, CardRead)]
    assert [event.replayed for event in first] == [False]
    assert first[0].flags == CardFlag.NONE
    pair.take(pair.host.connection_made(pair.now))
    pair.acknowledges = True
    pair.run(0.5)
    # Delivered before, so it is recognised; a new host gets it with the flag.
    assert pair.told(EventRepeated)
    fresh = make_pair()
    fresh.record(position=9)
    fresh.connect()
    replayed = [output.event for output in fresh.told(EventArrived) if isinstance(output.event, CardRead)]
    assert [event.replayed for event in replayed] == [True]


@pytest.mark.requirement("SDP/1 1.7")
def test_the_journal_comes_before_the_wire_and_a_full_one_stops_the_event(pair):
    def full(event):
        raise JournalFullError("no place")

    pair.journal.append = full
    with pytest.raises(JournalFullError):
        pair.record(position=1)
    pair.run(1.0)
    assert pair.events() == [1]


@pytest.mark.requirement("SDP/1 1.12", "EQ-96")
def test_a_device_that_lost_the_oldest_part_of_its_journal(make_pair):
    pair = make_pair()
    for position in range(6):
        pair.record(position=position)
    pair.journal.lose(3)
    pair.connect()
    assert pair.told(EventsLost) == [EventsLost(1, 1, 3)]
    assert pair.events() == [4, 5, 6, 7]


@pytest.mark.requirement("SDP/1 1.7")
def test_events_recorded_during_a_command_go_out_after_its_answer(pair):
    def move(received, now):
        pair.device.record("gate_changed", {"state": 1, "cause": 1}, None, now)

    pair.mechanism.during = move
    pair.request(Lock())
    pair.run(0.2)
    order = [type(output).__name__ for output in pair.outputs if not isinstance(output, Fault)]
    assert order[-2:] == ["CommandAnswered", "EventArrived"]
