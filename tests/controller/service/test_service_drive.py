"""What a device is asked for follows from what is known of it and what the table wants, and never twice."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.service.drive import ACT_WAIT_S, SELF_LOCK_WAIT_S, DeviceView, next_command, next_look, shoe_id_of
from controller.table.outcome import Wanted
from firmware_bridge.cards import Sealed, parse_card
from firmware_bridge.commands import ClearError, CloseShoe, Command, Dispense, Lock, OpenShoe, Unlock
from firmware_bridge.events import (
    CardFlag,
    CardRead,
    Cause,
    CommandDone,
    DeviceError,
    DeviceState,
    ErrorCleared,
    ErrorRaised,
    GateChanged,
    GateState,
    Lid,
    Started,
    StartReason,
    Status,
)
from firmware_bridge.reports import Capability, StatusReport

ALL = tuple(Capability(name, 1, 1) for name in ("gate", "counted-unlock", "dispense"))
SHOE_7 = shoe_id_of("T1", 7)


def status(**changes: object) -> StatusReport:
    report = StatusReport(
        state=DeviceState.IDLE, error=DeviceError.NONE, error_code=0, gate=GateState.LOCKED, lid_open=False, drawn=0,
        remaining=None, last_eseq=0, oldest_eseq=1, cobs_errors=0, crc_errors=0, oversize_errors=0, other_errors=0,
        shoe_id=None,
    )  # fmt: skip
    return msgspec.structs.replace(report, **changes)


def view(capabilities: tuple[Capability, ...] = ALL, **changes: object) -> DeviceView:
    known = DeviceView()
    known.connected(status(**changes), capabilities)
    known.caught_up = True
    return known


def card() -> CardRead:
    return CardRead(1, 0, False, Sealed(parse_card("9h")), CardFlag.NONE, 99, 1, None)


def run(known: DeviceView, wanted: Wanted, now_s: float = 0.0) -> list[Command]:
    """Ask and accept until nothing more is asked; five commands are more than any state needs."""
    sent: list[Command] = []
    for tid in range(1, 6):
        command = next_command(known, wanted, "T1", now_s)
        if command is None:
            return sent
        sent.append(command)
        known.accepted(command, wanted, tid)
    raise AssertionError(f"it never ends: {sent}")


def test_a_shoe_is_opened_and_the_gate_unlocked_for_exactly_the_cards_expected() -> None:
    known = view()
    assert run(known, Wanted(shoe=7, decks=6, back="red", unlock=3)) == [OpenShoe(SHOE_7, 6, 1), Unlock(3)]


def test_cards_of_a_counted_unlock_cost_no_command() -> None:
    known = view(shoe_id=SHOE_7)
    run(known, Wanted(shoe=7, unlock=3))
    for left in (2, 1, 0):
        known.heard(card(), 0.0)
        assert run(known, Wanted(shoe=7, unlock=left)) == []
    known.heard(GateChanged(2, 0, False, GateState.LOCKED, Cause.COUNT_REACHED), 0.0)
    assert not known.gate_open
    assert run(known, Wanted(shoe=7, unlock=2)) == [Unlock(2)]


def test_the_next_unlock_waits_for_the_report_of_the_last_lock() -> None:
    known = view(shoe_id=SHOE_7)
    run(known, Wanted(shoe=7, unlock=1))
    known.heard(card(), 10.0)
    assert run(known, Wanted(shoe=7, unlock=2), 10.0) == []
    assert next_look(known, 10.0) == 10.0 + SELF_LOCK_WAIT_S
    assert next_look(known, 10.0 + SELF_LOCK_WAIT_S) is None
    assert run(known, Wanted(shoe=7, unlock=2), 10.0 + SELF_LOCK_WAIT_S) == [Lock(), Unlock(2)]


def test_the_gate_is_locked_when_the_step_ends_early() -> None:
    known = view(shoe_id=SHOE_7)
    run(known, Wanted(shoe=7, unlock=5))
    assert run(known, Wanted(shoe=7)) == [Lock()]


def test_without_counted_unlock_the_gate_is_opened_once_and_locked_at_the_end() -> None:
    known = view((Capability("gate", 1, 1),), shoe_id=SHOE_7)
    assert run(known, Wanted(shoe=7, unlock=2)) == [Unlock()]
    known.heard(card(), 0.0)
    assert run(known, Wanted(shoe=7, unlock=1)) == []
    known.heard(card(), 0.0)
    assert run(known, Wanted(shoe=7)) == [Lock()]


def test_a_device_without_a_gate_is_left_alone() -> None:
    known = view((), shoe_id=SHOE_7)
    assert run(known, Wanted(shoe=7, unlock=2)) == []


def test_another_shoe_is_closed_first_and_none_is_left_open() -> None:
    known = view(shoe_id=shoe_id_of("T1", 6))
    assert run(known, Wanted(shoe=7)) == [CloseShoe(), OpenShoe(SHOE_7, 1)]
    assert run(known, Wanted()) == [CloseShoe()]
    opened = view(shoe_id=shoe_id_of("T2", 7), gate=GateState.OPEN)
    assert run(opened, Wanted(shoe=7)) == [Lock(), CloseShoe(), OpenShoe(SHOE_7, 1)]


def test_before_the_past_is_known_only_a_lock_is_asked_for() -> None:
    known = view(shoe_id=SHOE_7, gate=GateState.OPEN)
    known.caught_up = False
    assert run(known, Wanted(shoe=7, unlock=3)) == [Lock()]
    known.heard(GateChanged(5, 0, True, GateState.OPEN, Cause.COMMAND), 0.0)
    assert run(known, Wanted(shoe=7, unlock=3)) == []
    known.caught_up = True
    assert run(known, Wanted(shoe=7, unlock=3)) == [Unlock(3)]


def test_a_shoe_is_closed_when_its_gate_has_locked_itself() -> None:
    known = view(shoe_id=SHOE_7)
    run(known, Wanted(shoe=7, unlock=1))
    known.heard(card(), 10.0)
    assert run(known, Wanted(), 10.0) == []
    known.heard(GateChanged(2, 0, False, GateState.LOCKED, Cause.COUNT_REACHED), 10.1)
    assert run(known, Wanted(), 10.1) == [CloseShoe()]


def test_a_gate_found_open_without_a_count_is_locked_and_opened_for_the_right_count() -> None:
    known = view(shoe_id=SHOE_7, gate=GateState.OPEN)
    assert run(known, Wanted(shoe=7, unlock=3)) == [Lock(), Unlock(3)]


def test_a_stack_is_dispensed_once() -> None:
    known = view(shoe_id=SHOE_7)
    wanted = Wanted(shoe=7, dispense=(3, 2, 1))
    assert run(known, wanted) == [Dispense(3, 2)]
    assert run(known, wanted) == []
    assert run(known, Wanted(shoe=7, dispense=(3, 4, 2))) == [Dispense(3, 4)]


def test_a_stack_broken_off_is_dispensed_again_when_it_is_still_wanted() -> None:
    known = view(shoe_id=SHOE_7)
    wanted = Wanted(shoe=7, dispense=(3, 2, 1))
    run(known, wanted)
    known.heard(CommandDone(9, 0, False, known.dispense_tid, "dispense", Status.WRONG_STATE, 0), 0.0)
    assert run(known, wanted) == [Dispense(3, 2)]
    known.heard(CommandDone(10, 0, False, known.dispense_tid, "dispense", Status.OK, 3), 0.0)
    assert run(known, wanted) == []


def test_a_stack_is_not_asked_for_again_before_the_act_under_way_has_ended() -> None:
    known = view(shoe_id=SHOE_7)
    wanted = Wanted(shoe=7, dispense=(3, 2, 1))
    known.found_busy(5.0)
    assert run(known, wanted, 5.0) == []
    assert next_look(known, 5.0) == 5.0 + ACT_WAIT_S
    known.heard(CommandDone(9, 0, False, 77, "dispense", Status.OK, 3), 6.0)
    assert run(known, wanted, 6.0) == [Dispense(3, 2)]


@pytest.mark.requirement("EQ-39", "EQ-43")
def test_an_error_is_cleared_only_after_a_supervisor_settled_it() -> None:
    known = view(shoe_id=SHOE_7)
    wanted = Wanted(shoe=7, unlock=2)
    run(known, wanted)
    known.heard(ErrorRaised(3, 0, False, DeviceError.JAM, 8, 0), 0.0)
    assert run(known, Wanted(shoe=7)) == []
    assert run(known, wanted) == []
    known.may_clear = True
    assert next_command(known, wanted, "T1", 0.0) == ClearError(8)
    known.accepted(ClearError(8), wanted, 1)
    assert run(known, wanted) == []
    known.heard(ErrorCleared(4, 0, False, DeviceError.JAM, 8, 0), 0.0)
    assert run(known, wanted) == [Unlock(2)]


@pytest.mark.requirement("EQ-40")
def test_nothing_is_unlocked_while_the_lid_is_open() -> None:
    known = view(shoe_id=SHOE_7)
    known.heard(Lid(3, 0, False, True), 0.0)
    assert run(known, Wanted(shoe=7, unlock=2)) == []
    known.heard(Lid(4, 0, False, False), 0.0)
    assert run(known, Wanted(shoe=7, unlock=2)) == [Unlock(2)]


def test_a_forced_gate_is_locked() -> None:
    known = view(shoe_id=SHOE_7)
    known.heard(GateChanged(3, 0, False, GateState.FORCED, Cause.UNKNOWN), 0.0)
    assert run(known, Wanted(shoe=7)) == [Lock()]


def test_a_restart_of_the_device_leaves_a_locked_gate() -> None:
    known = view(shoe_id=SHOE_7)
    run(known, Wanted(shoe=7, unlock=2))
    known.heard(Started(3, 0, False, 2, StartReason.POWER_ON, True), 0.0)
    assert not known.gate_open


def test_shoe_ids_differ_by_table_and_number_and_are_never_zero() -> None:
    ids = {shoe_id_of(table, number) for table in ("T1", "T2") for number in range(5)}
    assert len(ids) == 10
    assert all(len(found) == 16 and any(found) for found in ids)


WANTED = st.builds(
    Wanted,
    shoe=st.none() | st.integers(0, 2),
    unlock=st.sampled_from([0, 1, 3, 300]),
    dispense=st.none() | st.tuples(st.just(3), st.integers(0, 3), st.integers(1, 2)),
)


@given(st.lists(st.tuples(WANTED, st.integers(0, 4)), max_size=6), st.booleans(), st.booleans())
def test_whatever_is_wanted_the_device_gets_there_and_the_gate_is_never_open_for_more(
    steps: list[tuple[Wanted, int]], counted: bool, start_open: bool
) -> None:
    capabilities = ALL if counted else (Capability("gate", 1, 1),)
    known = view(capabilities, gate=GateState.OPEN if start_open else GateState.LOCKED)
    for wanted, cards in steps:
        run(known, wanted, 100.0)
        assert known.shoe_id == (None if wanted.shoe is None else shoe_id_of("T1", wanted.shoe))
        if wanted.unlock == 0 or wanted.shoe is None:
            assert not known.gate_open
        elif known.gate_open and counted:
            assert known.allowance is not None
            assert known.allowance <= max(wanted.unlock, 0)
        for _ in range(cards):
            known.heard(card(), 0.0)
