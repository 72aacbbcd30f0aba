"""Who may do what, when results are told, and what stays on record of what people say."""

from __future__ import annotations

import random

import pytest

from controller.table import acts as a
from controller.table import facts as f
from firmware_bridge.cards import UNREADABLE, Sealed
from tests.controller.table.bench import DEALER, SUPERVISOR, TECHNICIAN, Bench, procedure_of


def settled() -> Bench:
    """A Colorado round in which seat 1 folded and seat 2 has been exposed; the cards are not collected yet."""
    bench = Bench(procedure_of("colorado-hold-em-poker", "hand"), random.Random(2))
    bench.ready()
    bench.wagered(1, 2)
    bench.deal()
    bench.put(a.Decide(seat=1, choose="fold"))
    bench.put(a.Decide(seat=2, choose="bet"))
    bench.put(a.Expose(community=(1, 2, 3)))
    bench.put(a.Expose(seat=2, cards=tuple(bench.places["seat 2"][:2])))
    return bench


def result_of(bench: Bench, key: str) -> str:
    assert bench.state.round is not None
    return bench.state.round.results[key]["ante"]


def test_nothing_of_the_outcome_is_told_before_the_dealer_declares_or_collects() -> None:
    bench = settled()
    outcome = bench.view()
    assert (outcome.results, outcome.pays, outcome.hands) == ({}, {}, {})
    assert set(bench.put(a.Declare(seat=1, result="lose")).results) == {"1"}
    assert set(bench.put(a.Collect()).results) == {"1", "2"}
    assert set(bench.view().results) == {"1", "2"}, "results stay until the next wager"
    bench.shuffle()
    assert bench.put(a.Wager(seat=1)).results == {}


def test_a_declared_result_that_the_cards_do_not_give_alarms_and_both_are_kept() -> None:
    bench = settled()
    right = result_of(bench, "2")
    wrong = "lose" if right != "lose" else "win"
    outcome = bench.put(a.Declare(seat=2, result=wrong, by=DEALER))
    assert (outcome.alarm, outcome.state) == ("declared-differs", "collecting")
    assert outcome.results["2"] == right
    declared = [fact for fact in bench.facts if isinstance(fact, f.Declared)]
    assert [(fact.result, fact.agrees) for fact in declared] == [(wrong, False)]
    assert bench.resolve("continue").alarms == ()


@pytest.mark.parametrize("result", ["banker", "", "nobody"])
def test_a_result_that_is_not_there_cannot_be_declared(result: str) -> None:
    assert settled().put(a.Declare(result=result)).refused == "not-expected-now"


@pytest.mark.requirement("T-30")
@pytest.mark.parametrize("by", [DEALER, TECHNICIAN, a.By("player", "2"), a.By("device", "shoe")])
def test_only_a_supervisor_settles_an_alarm_and_stands_on_record(by: a.By) -> None:
    bench = settled()
    bench.notice("tamper")
    assert bench.put(a.Resolve(choose="continue", by=by)).refused == "role-not-allowed"
    assert bench.put(a.Resolve(choose="continue", by=SUPERVISOR)).refused is None
    settled_by = [fact.by for fact in bench.facts if isinstance(fact, f.AlarmSettled) and fact.code == "tamper"]
    assert settled_by == ["supervisor:S1"]


@pytest.mark.parametrize("choose", ["", "go on", "CONTINUE", "x" * 200])
def test_a_supervisor_chooses_one_of_the_known_ways(choose: str) -> None:
    bench = settled()
    bench.notice("tamper")
    outcome = bench.resolve(choose)
    assert outcome.refused == "bad-option"
    assert len(outcome.message) < 300


def test_one_alarm_may_be_settled_by_its_name_and_the_other_still_holds() -> None:
    bench = settled()
    bench.notice("tamper")
    bench.notice("error")
    outcome = bench.resolve("continue", "tamper")
    assert (outcome.state, outcome.alarms) == ("suspended", ("device-error",))
    assert bench.resolve("continue", "device-error").state == "collecting"


def test_without_an_alarm_there_is_nothing_to_settle() -> None:
    assert settled().resolve("void").refused == "not-expected-now"


def test_a_supervisor_voids_from_wherever_the_table_is_held_and_wagers_go_back() -> None:
    bench = settled()
    bench.notice("tamper")
    outcome = bench.resolve("void")
    assert (outcome.state, outcome.results) == ("void", {"1": "void", "2": "void"})
    assert set(outcome.pays) == {"1", "2"}
    assert bench.put(a.Collect()).state == "unverified"


def test_a_card_that_a_person_tells_is_told_and_not_read() -> None:
    bench = Bench(procedure_of("colorado-hold-em-poker", "hand"), random.Random(2))
    bench.ready()
    bench.wagered(1, 2)
    for by, evidence in ((DEALER, "told"), (SUPERVISOR, "told")):
        card = bench.pack[0]
        assert bench.put(a.CardOut(read=Sealed(card), by=by), [card]).evidence == evidence
    assert bench.card().evidence == "read"
    unread = a.CardOut(read=Sealed(UNREADABLE), unreadable=True, by=DEALER)
    assert bench.put(unread, [bench.pack[0]]).evidence == "unknown"
    dealt = [fact.evidence for fact in bench.facts if isinstance(fact, f.CardDealt)]
    assert dealt == ["told", "told", "read", "unknown"]


def test_who_deals_is_on_record() -> None:
    bench = settled()
    bench.put(a.SignOn(person="D7"))
    assert bench.state.dealer == "D7"
    bench.put(a.SignOff(person="D7"))
    assert bench.state.dealer == ""


def test_a_rescan_takes_every_card_in_the_order_dealt() -> None:
    bench = Bench(procedure_of("colorado-hold-em-poker", "hand"), random.Random(2))
    bench.ready()
    bench.wagered(1)
    bench.card(unreadable=True)
    seat, rest = bench.places["seat 1"][0], bench.pack[0]
    for cards, code in (((), "bad-count"), ((seat, rest), "bad-count"), ((UNREADABLE,), "bad-cards")):
        assert bench.put(a.Rescan(cards=tuple(map(Sealed, cards)))).refused == code
    outcome = bench.put(a.Rescan(cards=(Sealed(seat),)))
    assert (outcome.state, outcome.gate, outcome.evidence) == ("dealing", "open", "confirmed")
    assert bench.state.deck.census.exact


def test_a_rescan_that_tells_another_card_than_was_read_holds_the_table() -> None:
    bench = Bench(procedure_of("colorado-hold-em-poker", "hand"), random.Random(2))
    bench.ready()
    bench.wagered(1)
    bench.card()
    outcome = bench.put(a.Rescan(cards=(Sealed(bench.pack[0]),)))
    assert (outcome.state, outcome.alarm, outcome.remedy) == ("suspended", "unreadable-card", "supervisor-decides")
    assert bench.pack[0].name not in outcome.message


def test_an_unknown_report_lists_what_is_known() -> None:
    bench = settled()
    outcome = bench.put(a.Report(what="the lights went out"))
    assert outcome.refused == "unknown-report"
    assert "wrong-count" in outcome.message
    assert bench.put(a.Report(what="wrong-count")).refused == "bad-option"


def test_a_card_that_is_due_to_be_seen_is_no_irregularity() -> None:
    assert settled().put(a.Report(what="community-card-exposed")).refused == "not-expected-now"
    assert settled().put(a.Report(what="dealer-card-exposed")).refused == "not-expected-now"


def test_every_refusal_says_what_to_do() -> None:
    bench = settled()
    acts: list[a.AnyAct] = [
        a.Wager(seat=1),
        a.CloseBets(),
        a.Start(seat=1),
        a.Decide(seat=2, choose="bet"),
        a.Open(),
        a.HoleCheck(blackjack=True),
    ]
    for act in acts:
        outcome = bench.put(act)
        assert outcome.refused is not None
        assert outcome.message.count(".") >= 2, outcome.message
