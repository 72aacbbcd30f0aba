"""A card that was asked for leaves while the line is lost: it is placed where it belongs, not drawn in error."""

from __future__ import annotations

import random

import pytest

from controller.dealing.procedure import build_procedure
from controller.games import find_game
from controller.table.acts import AnyAct, By, CardOut, DeviceNotice, Origin, StackOut
from firmware_bridge.cards import Sealed
from hil.people.core_table import SHOE, CoreTable
from hil.people.moves import Move

SEED = 11


def table_that_deals(method: str) -> CoreTable:
    table = CoreTable(build_procedure(find_game("colorado-hold-em-poker"), method), random.Random(SEED))
    table.tell(Move("open", True, "supervisor:S1"))
    table.make_ready(table.view())
    table.tell(Move("wager", {"seat": 1, "ante": 10}))
    table.tell(Move("close_bets", True))
    assert table.view().gate == "open"
    return table


def notice(event: str, name: str = "shoe") -> AnyAct:
    return DeviceNotice(event=event, name=name, by=By("device", name), origin=Origin(name))


def next_card(table: CoreTable, *, out_of_flow: bool = False) -> AnyAct:
    return CardOut(read=Sealed(table.pack.pop(0)), by=SHOE, origin=Origin("shoe"), out_of_flow=out_of_flow)


@pytest.mark.requirement("SDP/1 1.7", "SDP/1 1.8", "EQ-57")
def test_cards_of_the_time_without_a_line_are_dealt_and_the_table_waits_on() -> None:
    table = table_that_deals("manual-shoe")
    assert table.decide(notice("lost")).state == "suspended"
    first = table.decide(next_card(table))
    assert (first.to, first.state, first.gate, first.irregularity) == ("seat 1", "suspended", "locked", None)
    assert table.decide(next_card(table)).to == "community 1"
    back = table.decide(notice("back"))
    assert (back.state, back.gate, back.alarms) == ("dealing", "open", ())
    assert table.decide(next_card(table)).to == "seat 1"


def test_the_last_card_of_a_step_is_dealt_and_the_next_step_waits() -> None:
    table = table_that_deals("manual-shoe")
    for _ in range(5):
        table.decide(next_card(table))
    table.decide(notice("lost"))
    assert table.decide(next_card(table)).to == "community 3"
    assert table.view().state == "suspended"
    assert table.decide(notice("back")).state == "deciding"


def test_a_stack_of_the_time_without_a_line_goes_to_its_place() -> None:
    table = table_that_deals("automated-shoe")
    table.decide(notice("lost"))
    cards = tuple(Sealed(table.pack.pop(0)) for _ in range(3))
    stack = table.decide(StackOut(count=3, cards=cards, by=SHOE, origin=Origin("shoe")))
    assert (stack.to, stack.state, stack.irregularity) == ("seat 1", "suspended", None)
    assert table.decide(notice("back")).state == "dealing"


def test_a_card_that_the_device_itself_calls_out_of_flow_stays_aside() -> None:
    table = table_that_deals("manual-shoe")
    table.decide(notice("lost"))
    told = table.decide(next_card(table, out_of_flow=True))
    assert (told.to, told.irregularity) == ("aside", "card-drawn-in-error")


def test_a_card_while_somebody_has_to_look_at_the_device_stays_aside() -> None:
    table = table_that_deals("manual-shoe")
    table.decide(notice("lost"))
    table.decide(notice("restarted"))
    told = table.decide(next_card(table))
    assert (told.to, told.irregularity) == ("aside", "card-drawn-in-error")
