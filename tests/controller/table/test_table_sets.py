"""Two decks in turn, and single cards taken out of a set and put back."""

from __future__ import annotations

import pytest

from controller.table import acts as a
from firmware_bridge.cards import JOKER
from tests.controller.table.bench import SHUFFLER, SUPERVISOR
from tests.controller.table.scripts import FAST, begin, end_round, table

# ---- two decks in turn


@pytest.mark.rule("13:69F-23.2(b)")
def test_two_decks_are_used_in_turn() -> None:
    bench = table(two_decks=True)
    for back, state in (("red", "ready"), ("blue", "ready"), ("red", "ready"), ("red", "quarantined")):
        outcome = bench.load(back=back)
        assert (outcome.state == "quarantined") == (state == "quarantined")
        if state == "quarantined":
            assert (outcome.alarm, outcome.rule) == ("deck-turn", "13:69F-23.2(b)")
            break
        assert bench.shuffle().state == "ready"
        begin(bench, (1,))
        bench.deal()
        end_round(bench)
    assert bench.load(back="blue").state == "unverified"
    assert bench.shuffle().alarms == ()


@pytest.mark.rule("13:69F-23.2(b)")
def test_the_other_deck_is_shuffled_while_this_one_is_dealt_and_is_ready_when_it_is_loaded() -> None:
    bench = table(two_decks=True)
    bench.load(back="red")
    bench.shuffle()
    for back in ("blue", "red", "blue"):
        begin(bench, (1,))
        assert bench.shuffle().gate == "open", "the deck in use is not concerned"
        bench.deal()
        end_round(bench)
        outcome = bench.load(back=back)
        assert (outcome.state, outcome.alarms) == ("ready", ())
    begin(bench, (1,))
    bench.deal()
    assert bench.view().stub_expected == 46


@pytest.mark.rule("13:69F-23.2(b)")
@pytest.mark.parametrize(
    "undone",
    ["sort cycle", "wrong count", "broken off", "jam", "lid", "next cycle", "other count", "one deck only"],
)
def test_the_other_deck_is_not_ready_unless_its_shuffle_still_holds(undone: str) -> None:
    bench = table(two_decks=undone != "one deck only")
    begin(bench, (1,))
    bench.shuffle()
    match undone:
        case "sort cycle":
            bench.shuffle(mode="sort")
        case "wrong count":
            bench.shuffle(counted=51)
        case "broken off":
            bench.put(a.ShuffleAborted(by=SHUFFLER, origin=bench.origin("shuffler")))
        case "jam" | "lid":
            bench.notice({"jam": "jam", "lid": "lid-open"}[undone], "shuffler")
            bench.notice("lid-closed", "shuffler")
        case "next cycle":
            bench.notice("mode-random", "shuffler")
        case _:
            pass
    end_round(bench)
    outcome = bench.load(back="blue", **({"cards": 51} if undone == "other count" else {}))
    assert outcome.state == ("quarantined" if undone == "other count" else "unverified")


@pytest.mark.rule("13:69F-23.2(b)")
def test_with_one_deck_its_back_does_not_matter() -> None:
    bench = table()
    for _ in range(2):
        assert bench.load(back="red").state == "unverified"
        assert bench.shuffle().state == "ready"
        begin(bench, (1,))
        end_round(bench)


# ---- single cards


def test_a_set_with_a_card_taken_out_is_not_dealt_and_its_replacement_makes_it_whole() -> None:
    bench = table()
    card = bench.pack[20]
    outcome = bench.put(a.RemoveCard(card=card, reason="damaged", by=SUPERVISOR))
    assert (outcome.state, outcome.alarm) == ("suspended", "missing-card")
    assert bench.put(a.Wager(seat=1)).refused == "alarm-open"
    assert bench.put(a.ReplaceCard(card=bench.pack[0])).refused == "bad-cards"
    assert bench.put(a.ReplaceCard(card=card)).state == "ready"
    begin(bench, (1, 2))
    bench.deal()
    assert bench.view().stub_expected == 43
    assert bench.state.deck.census.may_come(card.code) == (card in bench.pack or card not in bench.out)


def test_no_more_cards_are_taken_out_than_the_set_has() -> None:
    bench = table(FAST, "manual-shoe", decks=2)
    twin = bench.pack[3]
    for _ in range(2):
        assert bench.put(a.RemoveCard(card=twin, by=SUPERVISOR)).refused is None
        bench.resolve("void")
    assert bench.put(a.RemoveCard(card=twin, by=SUPERVISOR)).refused == "bad-cards"
    assert bench.put(a.RemoveCard(card=JOKER, by=SUPERVISOR)).refused == "bad-cards"


def test_a_card_taken_out_of_the_rack_leaves_what_may_still_come_as_it_is() -> None:
    bench = table(FAST, "manual-shoe", shoe_start_burn=False)
    begin(bench, (1,))
    bench.deal()
    bench.put(a.Decide(seat=1, choose="surrender"))
    bench.put(a.Collect(what="discards"))
    bench.put(a.Collect())
    card = bench.out[0]
    may_come = bench.state.deck.census.may_come(card.code)
    inside = bench.state.deck.ledger.device
    bench.put(a.RemoveCard(card=card, by=SUPERVISOR))
    assert (bench.state.deck.census.may_come(card.code), bench.state.deck.ledger.device) == (may_come, inside)
    assert bench.put(a.ReplaceCard(card=card, by=SUPERVISOR)).state == "complete"
    assert (bench.state.deck.census.may_come(card.code), bench.state.deck.ledger.device) == (may_come, inside)


def test_a_short_set_stays_short_through_quarantine_and_shuffles() -> None:
    bench = table()
    card = bench.pack[5]
    bench.put(a.RemoveCard(card=card, by=SUPERVISOR))
    bench.resolve("replace-deck")
    bench.resolve("continue")
    outcome = bench.shuffle(counted=51)
    assert (outcome.state, outcome.alarms) == ("unverified", ("missing-card",))
    outcome = bench.put(a.ReplaceCard(card=card, by=SUPERVISOR))
    assert outcome.alarms == ()
    assert bench.shuffle().state == "ready"


def test_another_whole_deck_ends_the_shortage_of_the_one_before() -> None:
    bench = table()
    bench.put(a.RemoveCard(card=bench.pack[5], by=SUPERVISOR))
    bench.resolve("replace-deck")
    assert bench.load().state == "unverified"
    outcome = bench.shuffle()
    assert (outcome.state, outcome.alarms, bench.state.deck.short) == ("ready", (), ())


def test_the_short_set_loaded_again_is_still_short() -> None:
    bench = table()
    card = bench.pack[5]
    bench.put(a.RemoveCard(card=card, by=SUPERVISOR))
    bench.resolve("replace-deck")
    assert bench.load(cards=51).state == "unverified"
    assert bench.state.deck.short == (card.code,)
    assert bench.shuffle(counted=51).state == "unverified"
