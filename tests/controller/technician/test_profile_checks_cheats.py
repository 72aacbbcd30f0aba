"""Devices that answer well and tell untruly: each is failed by the check that names what it does, and an honest one by none."""

from __future__ import annotations

import pytest

from controller.technician.checks.heard import judge_heard
from controller.technician.checks.outcome import Outcome, Verdict
from controller.technician.checks.record import Record
from device_profiles.plain.checks import checks_of
from firmware_bridge.link.faults import FaultKind
from firmware_bridge.link.line import Line
from firmware_bridge.plain.session import PlainSession
from firmware_bridge.plain.settings import PlainSettings
from firmware_bridge.session.outputs import EventArrived, Fault
from tests.firmware_bridge.twin_slide import TEXT, codec_of

TWICE = TEXT.replace("[connect]", '[repeats]\nwithin_s = 0.3\ntimes = 2\nonce = ["this"]\n[connect]')
CODEC = codec_of(TWICE)
STEP_S = 0.5


def card(number: int, suit: str = "c") -> bytes:
    return CODEC.write("card", {"seq": number, "rank": "A", "suit": suit})


def failures(*said: bytes, opened_at_s: float = -1.0) -> dict[str, Outcome]:
    """The checks that fail when this is heard, half a second from message to message."""
    record = Record(CODEC, 0.0, pauses=False, show_cards=False)
    record.opened(opened_at_s)
    for index, wire in enumerate(said):
        record.heard(wire, index * STEP_S)
    record.heard(b"", len(said) * STEP_S + 1.0)
    checks = [check for check in checks_of(CODEC.profile) if check.name in ("duplicate/copies", "duplicate/number", "loss/numbers")]
    outcomes = {check.name: judge_heard(check, record, {}) for check in checks}
    return {name: outcome for name, outcome in outcomes.items() if outcome.verdict is Verdict.FAIL}


@pytest.mark.requirement("EQ-48")
def test_an_honest_device_with_a_sign_of_life_that_it_says_once_fails_nothing() -> None:
    life = CODEC.write("this", {"plate": 1, "tenths": 0})
    assert not failures(card(98) * 2, life, card(99) * 2, life, card(0) * 2, card(1) * 2)


@pytest.mark.requirement("EQ-48")
@pytest.mark.parametrize(
    ("said", "name", "why"),
    [
        ((card(1) * 2, card(2), card(3) * 2), "duplicate/copies", "`card` is said 1 time, not 2 times."),
        ((card(1) * 2, card(2) * 3, card(3) * 2), "duplicate/copies", "`card` is said 3 times, not 2 times."),
        ((card(1) * 2, card(2) + card(2, "d"), card(3) * 2), "duplicate/number", "Number 2 came again and tells something else"),
        ((card(1) * 2, card(3) * 2), "loss/numbers", "After number 1 came 3: something is missing."),
        ((card(1) * 2, card(2) * 2, card(1, "d") * 2), "loss/numbers", "After number 2 came 1: they come out of order."),
        ((card(1) * 2, card(3) * 2, card(2) * 2), "loss/numbers", "After number 1 came 3: they come out of order."),
    ],
)
def test_a_device_that_loses_doubles_alters_or_reorders_fails_the_check_that_names_it(said: tuple[bytes, ...], name: str, why: str) -> None:
    found = failures(*said)
    assert found[name].why.startswith(why)
    assert found[name].evidence


def test_copies_that_the_opening_of_the_port_swallowed_are_not_the_device_s_fault() -> None:
    assert set(failures(card(1), card(2) * 2, opened_at_s=-1.0)) == {"duplicate/copies"}
    assert not failures(card(1), card(2) * 2, opened_at_s=-0.05)


@pytest.mark.requirement("EQ-48")
def test_a_number_that_comes_again_with_another_card_is_told_as_a_changed_event_and_counts_once() -> None:
    session = PlainSession(
        codec_of(TEXT.replace('messages = ["who"]\nidentity = { serial = "plate" }', "")), PlainSettings(line=Line.serial())
    )
    session.connection_made(0.0)
    first = session.receive(card(7), 1.0)
    again = session.receive(card(7), 2.0)
    other = session.receive(card(7, "d"), 3.0)
    assert [type(output) for output in first] == [EventArrived]
    assert not again
    assert [output.kind for output in other if isinstance(output, Fault)] == [FaultKind.EVENT_CHANGED]
    assert not [output for output in other if isinstance(output, EventArrived)]
