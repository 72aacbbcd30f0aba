"""The shuffle gate, quarantine, and what devices do to a deck."""

from __future__ import annotations

import random

import pytest

from controller.table import acts as a
from firmware_bridge.cards import JOKER
from tests.controller.table.bench import SHUFFLER, SUPERVISOR, TABLES, Bench, procedure_of
from tests.controller.table.scripts import COLORADO, FAST, begin, table

# ---- the shuffle gate


@pytest.mark.requirement("EQ-26")
@pytest.mark.parametrize(("game", "method"), TABLES)
def test_no_round_begins_without_a_finished_shuffle_since_the_deck_was_loaded(game: str, method: str) -> None:
    bench = Bench(procedure_of(game, method), random.Random(9))
    bench.put(a.Open(by=SUPERVISOR))
    wager = a.Wager(seat=1)
    assert bench.put(wager).refused == "not-expected-now"
    assert bench.load().state == "unverified"
    assert bench.put(wager).refused == "not-expected-now"
    assert bench.shuffle().state == "ready"
    assert bench.would(wager).accepted
    assert bench.put(a.Load(decks=bench.procedure.deck.decks, cards=bench.procedure.deck.cards)).state == "unverified"
    assert bench.put(wager).refused == "not-expected-now"


@pytest.mark.requirement("EQ-26")
def test_the_shoes_own_word_that_the_shuffled_set_went_into_it_keeps_the_shuffle() -> None:
    bench = table()
    outcome = bench.load()
    assert (outcome.state, outcome.evidence) == ("ready", "confirmed")


@pytest.mark.requirement("EQ-22", "EQ-25", "T-15")
@pytest.mark.parametrize(
    ("told", "state"),
    [
        ({"mode": "sort"}, "unverified"), ({"mode": "count-only"}, "unverified"), ({"mode": "unknown"}, "unverified"),
        ({"problem": "aborted"}, "unverified"), ({"problem": "count"}, "quarantined"), ({"problem": "duplicates"}, "quarantined"),
        ({"problem": "foreign-back"}, "quarantined"), ({"counted": 51}, "quarantined"), ({"counted": 53}, "quarantined"),
        ({"missing": (JOKER,)}, "quarantined"), ({"extra": (JOKER,)}, "quarantined"), ({"counted": None}, "ready"), ({}, "ready"),
    ],
)  # fmt: skip
def test_only_a_random_whole_cycle_with_the_right_cards_opens_the_gate(told: dict[str, object], state: str) -> None:
    bench = table()
    assert bench.shuffle(**told).state == state


@pytest.mark.requirement("EQ-25", "EQ-99", "EQ-22")
@pytest.mark.parametrize("held", [False, True])
@pytest.mark.parametrize(
    ("event", "name"),
    [
        ("jam", "shuffler"),
        ("jam", "shoe"),
        ("lid-open", "shoe"),
        ("lid-open", "shuffler"),
        ("restarted", "shuffler"),
        ("mode-sort", "shuffler"),
    ],
)
def test_what_happens_to_a_ready_deck_undoes_its_shuffle_also_while_the_table_is_held(event: str, name: str, held: bool) -> None:
    bench = table()
    if held:
        assert bench.notice("tamper").state == "suspended"
    bench.notice(event, name)
    bench.notice("lid-closed", name)
    if held:
        bench.resolve("continue")
    outcome = bench.view()
    assert (outcome.state, bench.state.deck.shuffled) == ("unverified", False)
    assert bench.put(a.Wager(seat=1)).refused == "not-expected-now"


@pytest.mark.requirement("EQ-26")
@pytest.mark.parametrize("held", [False, True])
def test_cards_that_leave_a_ready_deck_undo_its_shuffle(held: bool) -> None:
    bench = table(method="automated-shoe")
    if held:
        bench.notice("tamper")
    assert bench.stack(3).to == "aside"
    if held:
        bench.resolve("continue")
    assert bench.view().state == "unverified"
    assert bench.shuffle().state == "ready"
    begin(bench)
    bench.deal()
    assert bench.view().stub_expected == 43, "the stray cards went back into the deck with the shuffle"


def test_a_card_before_the_first_wager_waits_for_its_place() -> None:
    bench = table()
    top = bench.pack[0]
    outcome = bench.card()
    assert (outcome.to, outcome.state, outcome.remedy) == ("aside", "wagering", "use-as-next")
    outcome = begin(bench, (3,))
    assert outcome.to == "seat 3"
    assert bench.places["seat 3"] == [top]
    bench.deal()
    assert bench.view().stub_expected == 46


def test_a_card_before_the_first_stack_cannot_be_part_of_one() -> None:
    bench = table(method="automated-shoe")
    outcome = bench.card()
    assert (outcome.state, outcome.remedy) == ("suspended", "supervisor-decides")
    assert bench.resolve("continue").refused == "bad-option"
    assert bench.resolve("void").state == "void"


def test_a_shuffle_while_cards_are_on_the_table_tells_nothing_about_them() -> None:
    bench = table()
    begin(bench)
    before = bench.state.deck
    outcome = bench.shuffle()
    assert (outcome.state, outcome.gate) == ("dealing", "open")
    assert bench.state.deck == before


# ---- quarantine


def quarantined(why: str) -> Bench:
    bench = table()
    if why == "count":
        bench.shuffle(counted=51)
    elif why == "load":
        bench.load(cards=51)
    else:
        begin(bench)
        bench.card(back_mismatch=True)
    assert bench.view().state == "quarantined"
    return bench


@pytest.mark.requirement("EQ-09", "T-23")
@pytest.mark.parametrize("why", ["count", "load", "foreign card"])
@pytest.mark.parametrize("act", ["shuffle", "close and open", "dealer", "wager"])
def test_nothing_but_a_new_deck_or_a_supervisor_ends_quarantine(why: str, act: str) -> None:
    bench = quarantined(why)
    match act:
        case "shuffle":
            bench.shuffle()
        case "close and open":
            assert bench.put(a.Close()).state == "closed"
            assert bench.put(a.Open()).state == "quarantined"
        case "dealer":
            assert bench.put(a.Resolve(choose="continue", by=a.By("dealer"))).refused == "role-not-allowed"
        case _:
            assert bench.put(a.Wager(seat=1)).refused == "not-expected-now"
    assert bench.view().state == "quarantined"
    assert bench.view().gate == "locked"


@pytest.mark.requirement("EQ-09")
@pytest.mark.parametrize("why", ["count", "load", "foreign card"])
def test_a_new_deck_that_is_verified_ends_quarantine(why: str) -> None:
    bench = quarantined(why)
    assert bench.load().state == "unverified"
    outcome = bench.shuffle()
    assert (outcome.state, outcome.alarms) == ("ready", ())


@pytest.mark.requirement("EQ-09")
@pytest.mark.parametrize("why", ["count", "load", "foreign card"])
def test_a_supervisors_recorded_act_ends_quarantine_and_the_deck_is_shuffled_again(why: str) -> None:
    bench = quarantined(why)
    assert bench.resolve("continue").state == "unverified"
    assert bench.put(a.Wager(seat=1)).refused == "not-expected-now"
    assert bench.shuffle().state == "ready"
    assert bench.state.deck.ledger.device == 52


def test_a_wrong_count_while_the_table_is_closed_waits_for_it_to_open() -> None:
    bench = Bench(procedure_of(COLORADO, "hand"), random.Random(9))
    assert bench.load(cards=51).state == "closed"
    assert bench.put(a.Open()).state == "quarantined"


def test_no_round_begins_while_an_alarm_that_holds_is_open() -> None:
    bench = Bench(procedure_of(COLORADO, "hand"), random.Random(9))
    bench.notice("tamper")
    bench.ready()
    outcome = bench.put(a.Wager(seat=1))
    assert outcome.refused == "alarm-open"
    assert "wager" not in outcome.next
    bench.resolve("continue")
    assert bench.put(a.Wager(seat=1)).refused is None


# ---- devices


def test_a_device_that_is_lost_holds_the_table_until_it_is_back_whatever_a_supervisor_says() -> None:
    bench = table()
    begin(bench)
    assert bench.notice("lost").state == "suspended"
    bench.notice("tamper")
    outcome = bench.resolve("continue")
    assert (outcome.state, outcome.alarms) == ("suspended", ("device-lost",))
    outcome = bench.notice("back")
    assert (outcome.state, outcome.gate) == ("dealing", "open")


def test_after_a_void_the_lost_device_still_keeps_the_next_round_from_beginning() -> None:
    bench = table()
    begin(bench)
    bench.notice("lost")
    assert bench.resolve("void").state == "void"
    bench.put(a.Collect())
    bench.put(a.Shuffle(counted=52, by=SHUFFLER, origin=bench.origin("shuffler")))
    assert bench.put(a.Wager(seat=1)).refused == "alarm-open"
    bench.notice("back")
    assert bench.view().alarms == ()


def test_a_wrong_device_is_not_made_right_by_a_supervisors_word() -> None:
    bench = table()
    bench.notice("wrong-identity")
    bench.notice("tamper")
    assert bench.resolve("continue").alarms == ("wrong-identity",)
    assert bench.notice("back").state == "ready"


@pytest.mark.parametrize("name", ["shoe", "shuffler"])
def test_every_open_lid_is_closed_before_play_goes_on(name: str) -> None:
    bench = table()
    begin(bench)
    bench.notice("lid-open", "shoe")
    bench.notice("lid-open", name)
    bench.notice("lid-closed", "shuffler")
    assert bench.resolve("continue").refused == "not-expected-now"
    bench.notice("lid-closed", "shoe")
    assert bench.resolve("continue").state == "dealing"


def test_an_empty_shoe_is_shuffled_before_the_next_round() -> None:
    bench = table(FAST, "manual-shoe", shoe_start_burn=False)
    begin(bench, (1,))
    bench.deal()
    assert bench.notice("empty").state == "setting"
    bench.put(a.Decide(seat=1, choose="surrender"))
    bench.put(a.Collect(what="discards"))
    assert bench.put(a.Collect()).state == "unverified"


def test_two_cards_at_once_before_stacks_are_no_stack() -> None:
    bench = table(FAST, "automated-shoe")
    begin(bench, (1,))
    outcome = bench.put(bench.card_act(bench.pack[0], double=True), bench.pack[:2])
    assert (outcome.to, outcome.state) == ("burn", "suspended")
    bench.resolve("continue")
    assert "seat 1" not in bench.places
    assert bench.stack(4).to == "seat 1"


@pytest.mark.parametrize("flag", ["out_of_flow", "face_up", "back_mismatch", "beyond"])
@pytest.mark.parametrize("moment", ["ready", "dealing", "suspended", "unverified"])
def test_both_cards_of_a_double_feed_are_accounted_for_wherever_they_go(moment: str, flag: str) -> None:
    bench = table()
    if moment == "unverified":
        bench.notice("lid-open")
    elif moment != "ready":
        begin(bench)
        if moment == "suspended":
            bench.notice("tamper")
    device, two = bench.state.deck.ledger.device, bench.pack[:2]
    bench.put(bench.card_act(two[0], double=True, **{flag: True}), two)
    ledger = bench.state.deck.ledger
    assert ledger.device == device - 2
    assert ledger.balance() is None


def test_a_stack_whose_count_is_not_what_was_read_is_of_the_wrong_size() -> None:
    bench = table(method="automated-shoe")
    begin(bench)
    for _ in range(3):
        assert bench.card().to == "seat 1"
    outcome = bench.put(a.StackOut(count=2, origin=bench.origin("shoe")))
    assert (outcome.state, outcome.irregularity) == ("void", "wrong-stack-size")
