"""Is it a repetition, or another message that reads alike: by number where there is one, else by how often everything is said."""

from __future__ import annotations

import random

import pytest

from device_profiles.plain.profile import Numbers, Repeats
from firmware_bridge.link.faults import FaultKind
from firmware_bridge.plain.sameness import KEPT_MAX, RepeatFilter
from firmware_bridge.session.outputs import Fault
from tests.firmware_bridge.test_plain_session import cards, sealed, session_of

THRICE = Repeats(within_s=3.0, times=3, numbers=9)


def angel(seq: int, card: bytes = b"\x81\xb8") -> bytes:
    """A telegram of an Angel Eye: eight of spades to the Player."""
    body = b"%dD" % seq + card + b"\x03"
    check = 0
    for byte in body:
        check ^= byte
    return b"\x05" + body + b"%02X" % check


def test_another_card_that_reads_alike_a_whole_round_of_numbers_later_is_one_of_its_own_however_soon() -> None:
    """All nine numbers in less time than repetitions may take: the device in a burst, or hurried by its vendor."""
    session = session_of("angel-eye-ii-ex")
    heard = [card for at in range(18) for card in cards(session.receive(angel(at % 9 + 1) * 3, 0.05 * at))]
    assert len(heard) == 18


def test_a_copy_that_comes_late_behind_other_messages_is_a_copy() -> None:
    session = session_of("angel-eye-ii-ex")
    wires = [angel(1), angel(1), angel(2), angel(2), angel(3), angel(1), angel(3), angel(2), angel(3)]
    assert len([card for at, wire in enumerate(wires) for card in cards(session.receive(wire, 0.05 * at))]) == 3


def test_copies_that_a_slow_server_stretches_are_copies_as_long_as_each_follows_in_time() -> None:
    session = session_of("angel-eye-ii-ex")
    assert len([card for at in (0.0, 2.5, 5.0) for card in cards(session.receive(angel(4), at))]) == 1
    assert cards(session.receive(angel(4), 8.5)) == sealed("8s"), "after the time of the rule it is another one"


def test_a_line_that_doubles_a_telegram_makes_no_card() -> None:
    session = session_of("angel-eye-ii-ex")
    assert len([card for at in range(7) for card in cards(session.receive(angel(5), 0.02 * at))]) == 1


def test_without_numbers_one_more_copy_than_the_device_says_is_another_message() -> None:
    unnumbered = RepeatFilter(Repeats(within_s=3.0, times=3))
    assert [unnumbered.is_repeated(b"card", 0.1 * n) for n in range(7)] == [False, True, True, False, True, True, False]


def test_a_device_that_repeats_until_it_is_answered_may_do_so_as_often_as_it_takes() -> None:
    until_answered = RepeatFilter(Repeats(within_s=4.0), Numbers(field="transaction", first=1, last=255))
    assert [until_answered.is_repeated(b"\x07 card", 1.0 * n) for n in range(9)] == [False] + [True] * 8


def test_messages_that_came_too_few_times_are_told_as_a_weak_line() -> None:
    session = session_of("angel-eye-ii-ex")
    session.receive(angel(1), 0.0)
    session.receive(angel(2) * 3, 0.2)
    faults = [out for out in session.receive(angel(3) * 3, 5.0) if isinstance(out, Fault)]
    assert [(fault.kind, fault.count) for fault in faults] == [(FaultKind.COPIES_MISSING, 1)]


@pytest.mark.parametrize("seed", range(5))
def test_every_card_is_one_card_whatever_is_lost_of_three_copies_but_all(seed: int) -> None:
    rng = random.Random(seed)
    repeats, at, heard, said = RepeatFilter(THRICE), 0.0, 0, 200
    for index in range(said):
        at += rng.choice((0.06, 0.1, 0.6, 4.0))
        content = b"%d card" % (index % 9)
        for _ in range(rng.randint(1, 3)):
            heard += not repeats.is_repeated(content, at)
            at += 0.02
    assert heard == said


def test_as_many_messages_as_are_remembered_are_told_from_their_repetitions() -> None:
    repeats = RepeatFilter(Repeats(within_s=3.0, times=3))
    said = [b"%d" % index for index in range(KEPT_MAX)]
    assert not any(repeats.is_repeated(content, 0.0) for content in said)
    assert all(repeats.is_repeated(content, 1.0) for content in said)
    assert repeats.take_weak() == 0


def test_memory_is_bounded() -> None:
    repeats = RepeatFilter(Repeats(within_s=1000.0, times=3))
    for index in range(10 * KEPT_MAX):
        assert not repeats.is_repeated(b"%d" % index, 0.0)
    assert repeats.is_repeated(b"%d" % (10 * KEPT_MAX - 1), 0.0)
    assert not repeats.is_repeated(b"0", 0.0)
    assert repeats.take_weak() > 9 * KEPT_MAX - 10
