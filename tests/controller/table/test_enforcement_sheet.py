"""The enforcement sheet: for each mishap what these devices make of it, and no promise that no device gives."""

from __future__ import annotations

import msgspec
import pytest

from controller.dealing.procedure import build_procedure
from controller.games import find_game
from controller.table.acts import By, Open
from controller.table.enforcement import STACK, Detection, DeviceMeans, Sheet, make_sheet
from controller.table.parse import parse_act
from controller.table.parse_values import ActError
from controller.table.record import decode_entry, encode_entry
from controller.table.table import decide, new_state

MINI = build_procedure(find_game("minibaccarat"), "manual-shoe", {})
SHOE = frozenset({"read-cards", "face-detection", "double-feed-detection", "gate", "dispense", "lid"})
SHUFFLER = frozenset({"read-cards", "shuffle", "deck-count", "lid"})
GOOD: dict[str, object] = dict.fromkeys(
    ("checks_frames", "tells_repeats", "keeps_events", "notices_gaps", "tells_serial", "has_key", "attests"), True
)
BEST = [DeviceMeans(name="shoe", kind="shoe", can=SHOE, **GOOD), DeviceMeans(name="shuffler", kind="shuffler", can=SHUFFLER, **GOOD)]  # type: ignore[arg-type]
ANGEL_EYE = DeviceMeans(
    name="shoe", kind="shoe", can=frozenset({"read-cards", "errors"}), checks_frames=True, tells_repeats=True, cannot=("It forgets.",)
)
BEE_TEK = DeviceMeans(name="shoe", kind="shoe", can=frozenset({"read-cards", "errors"}))


def detections(sheet: Sheet) -> dict[str, Detection]:
    return {line.mishap: line.detection for line in sheet.lines}


def test_the_best_devices_leave_only_what_no_device_sees() -> None:
    sheet = make_sheet(MINI, BEST)
    assert [line.mishap for line in sheet.of(Detection.NOT_DETECTABLE)] == ["a card is laid at the wrong place"]
    found = detections(sheet)
    assert found["a card leaves although none is due"] is Detection.PREVENTED
    assert found["cards are dealt unshuffled, or in a known order"] is Detection.PREVENTED
    assert found["a card of the set is missing"] is Detection.END_OF_SHOE
    assert found["a device is exchanged for another"] is Detection.PREVENTED


def test_a_listening_shoe_alarms_where_a_gate_would_prevent() -> None:
    sheet = make_sheet(MINI, [ANGEL_EYE])
    found = detections(sheet)
    assert found["a card leaves although none is due"] is Detection.AT_ONCE
    assert found["a message is damaged on the line"] is Detection.PREVENTED
    assert found["a card is told twice"] is Detection.PREVENTED
    assert found["two cards leave together"] is Detection.NOT_DETECTABLE
    assert found["a card leaves while the line is down"] is Detection.NOT_DETECTABLE
    assert found["a device is exchanged for another"] is Detection.NOT_DETECTABLE
    assert [(limit.device, limit.sentence) for limit in sheet.limits] == [("shoe", "It forgets.")]


def test_a_shoe_without_checksum_and_number_says_so() -> None:
    found = detections(make_sheet(MINI, [BEE_TEK]))
    assert found["a message is damaged on the line"] is Detection.NOT_DETECTABLE
    assert found["a card is told twice"] is Detection.NOT_DETECTABLE


def test_without_devices_nothing_is_promised() -> None:
    sheet = make_sheet(MINI, [])
    assert set(detections(sheet).values()) == {Detection.NOT_DETECTABLE}


def test_a_device_that_was_never_heard_promises_nothing() -> None:
    silent = DeviceMeans(name="shoe", kind="shoe")
    assert set(detections(make_sheet(MINI, [silent])).values()) == {Detection.NOT_DETECTABLE}


def test_a_game_that_counts_its_stub_finds_a_missing_card() -> None:
    colorado = build_procedure(find_game("colorado-hold-em-poker"), "hand", {})
    assert detections(make_sheet(colorado, []))["a card of the set is missing"] is Detection.END_OF_SHOE


def test_stacks_stand_in_the_sheet_of_a_method_that_deals_stacks() -> None:
    stacks = build_procedure(find_game("colorado-hold-em-poker"), "automated-shoe", {})
    assert STACK in detections(make_sheet(stacks, BEST))
    assert STACK not in detections(make_sheet(MINI, BEST))


@pytest.mark.parametrize("ability", sorted(SHOE - {"gate"}))
def test_no_ability_makes_a_sheet_worse(ability: str) -> None:
    order = list(Detection)
    poor = [msgspec.structs.replace(BEST[0], can=SHOE - {ability}), BEST[1]]
    rich, less = detections(make_sheet(MINI, BEST)), detections(make_sheet(MINI, poor))
    assert all(order.index(rich[mishap]) <= order.index(less[mishap]) for mishap in rich)


def test_the_digest_changes_with_a_line() -> None:
    assert make_sheet(MINI, [ANGEL_EYE]).digest != make_sheet(MINI, [BEE_TEK]).digest
    assert make_sheet(MINI, [ANGEL_EYE]).digest == make_sheet(MINI, [ANGEL_EYE]).digest


def test_the_sheet_stands_in_the_record_with_the_opening() -> None:
    sheet = make_sheet(MINI, [ANGEL_EYE])
    act = Open(by=By("supervisor", "S1"), sheet=sheet, confirms=sheet.digest)
    verdict = decide(MINI, new_state(MINI, "T1"), act, 0)
    body, cards = encode_entry(act, verdict.facts)
    again, _ = decode_entry(body, cards)
    assert again == act
    assert cards == b""


def test_an_opening_without_a_sheet_is_read_as_ever() -> None:
    verdict = decide(MINI, new_state(MINI, "T1"), Open(), 0)
    body, cards = encode_entry(Open(), verdict.facts)
    assert b"sheet" not in body
    assert decode_entry(body, cards)[0] == Open()


def test_opening_may_name_the_sheet_that_was_read() -> None:
    assert parse_act("open", {"confirms": "1a2b3c4d"}, By("supervisor", "S1")) == Open(confirms="1a2b3c4d", by=By("supervisor", "S1"))
    for wrong in (False, 1, {}, {"confirms": 5}, {"confirms": "x", "y": 1}):
        with pytest.raises(ActError):
            parse_act("open", wrong, By("supervisor", "S1"))
