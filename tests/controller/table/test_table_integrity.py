"""What the table does about its deck: impossible cards, unshuffled orders, the shuffle gate, quarantine, two decks, single cards."""

from __future__ import annotations

import random

import pytest

from controller.dealing.settings import Plain
from controller.decks import NEW_DECK_ORDERS, NewDeckOrder, new_deck_codes
from controller.table import acts as a
from controller.table.outcome import Outcome
from firmware_bridge.cards import JOKER, Card, card_from_code, parse_card
from tests.controller.table.bench import SHUFFLER, SUPERVISOR, TABLES, Bench, procedure_of

COLORADO, FAST = "colorado-hold-em-poker", "fast-action-hold-em"


def table(game: str = COLORADO, method: str = "hand", **house: Plain) -> Bench:
    bench = Bench(procedure_of(game, method, house), random.Random(9))
    bench.ready()
    return bench


def begin(bench: Bench, seats: tuple[int, ...] = (1, 2)) -> Outcome:
    """Up to the first card."""
    outcome = bench.wagered(*seats)
    return bench.put(a.Start(seat=1)) if "start" in outcome.next else outcome


def end_round(bench: Bench) -> Outcome:
    """Void and collect what is on the table."""
    bench.put(a.Report(what="device-malfunction"))
    if bench.view().state == "suspended":
        bench.resolve("void")
    return bench.put(a.Collect())


def cards(names: str) -> list[Card]:
    return [parse_card(name) for name in names.split()]


# ---- impossible cards


@pytest.mark.requirement("EQ-11", "T-21")
@pytest.mark.parametrize("game", [game for game, method in TABLES if method == "hand"])
def test_a_card_that_this_shoe_cannot_hold_any_more_is_refused_on_that_very_read(game: str) -> None:
    bench = table(game)
    begin(bench)
    copies = bench.procedure.deck.decks
    twin = cards("9h")[0]
    bench.pack[: copies + 1] = [twin] * (copies + 1)
    for _ in range(copies):
        assert bench.card().irregularity is None
    outcome = bench.card()
    assert (outcome.to, outcome.irregularity, outcome.gate) == ("aside", "duplicate-card", "locked")
    assert "9h" not in outcome.message
    assert outcome.state == ("quarantined" if copies == 1 else "suspended")


@pytest.mark.requirement("EQ-11", "EQ-15")
@pytest.mark.parametrize("how", ["joker", "back flag", "other back", "device says so"])
def test_a_card_that_does_not_belong_to_the_set_is_refused_on_that_very_read(how: str) -> None:
    bench = table()
    bench.load(back="red")
    bench.shuffle()
    begin(bench)
    if how == "joker":
        bench.pack[0] = JOKER
        outcome = bench.card()
    elif how == "back flag":
        outcome = bench.card(back_mismatch=True)
    elif how == "other back":
        outcome = bench.card(back="blue")
    else:
        outcome = bench.card(beyond=True)
    kind = "duplicate-card" if how == "device says so" else "foreign-card"
    assert (outcome.irregularity, outcome.state, outcome.remedy) == (kind, "quarantined", "deck-off-table")
    assert outcome.pays == {"1": "0", "2": "0"}


def test_a_bad_card_inside_a_stack_takes_the_deck_off_the_table() -> None:
    bench = table(method="automated-shoe")
    begin(bench)
    bench.pack[:4] = cards("9h 2c 3c 9h")
    assert bench.stack(3).irregularity is None
    assert bench.stack(3).irregularity == "duplicate-card"


# ---- orders


def new_deck(bench: Bench, order: NewDeckOrder) -> list[Card]:
    found = [card_from_code(code) for code in new_deck_codes(bench.procedure.deck, order)]
    return [card for card in found if card is not None]


def dealt_until_flagged(bench: Bench) -> int:
    """Cards read when the order is found."""
    for read in range(1, 60):
        outcome = bench.view()
        if outcome.gate != "open":
            break
        outcome = bench.card() if "card" in outcome.next else bench.stack(getattr(bench.procedure.step(outcome.phase), "size", 0))
        if outcome.irregularity == "unshuffled-order":
            assert (outcome.gate, outcome.state, outcome.alarm) == ("locked", "suspended", "unshuffled-order")
            assert not [name for name in map(str, bench.pack) if f" {name} " in outcome.message]
            return len(bench.state.deck.watch.read)
        assert read < 20, outcome
    raise AssertionError(f"the order was not found: {bench.view()}")


@pytest.mark.requirement("EQ-07", "T-17")
@pytest.mark.parametrize(("game", "method"), TABLES)
@pytest.mark.parametrize("order", NEW_DECK_ORDERS, ids=lambda order: order.name)
def test_a_new_deck_that_was_never_shuffled_is_found_within_eight_cards(game: str, method: str, order: NewDeckOrder) -> None:
    bench = table(game, method, **({"decks": 2} if game == FAST else {}))
    cut = bench.rng.randrange(52)
    packed = new_deck(bench, order)
    bench.next_pack = packed[cut:] + packed[:cut]
    bench.shuffle()
    begin(bench, (1, 2, 3))
    most = 8 if method != "automated-shoe" else 8 + 3
    assert dealt_until_flagged(bench) <= most, "a stack is judged as a whole"


@pytest.mark.requirement("EQ-07", "EQ-21")
@pytest.mark.parametrize("backwards", [False, True])
@pytest.mark.parametrize("game", [game for game, method in TABLES if method == "hand"])
def test_the_last_shoes_order_and_its_reverse_are_found_within_eight_cards(game: str, backwards: bool) -> None:
    bench = table(game)
    shoe = list(bench.pack)
    begin(bench, (1, 2, 3))
    read = 0
    while bench.view().gate == "open" and read < 12:
        bench.card()
        read += 1
    assert read >= 8
    end_round(bench)
    bench.next_pack = shoe[:read][::-1] + shoe[read:] if backwards else shoe
    bench.shuffle()
    begin(bench, (1, 2, 3))
    assert dealt_until_flagged(bench) <= 8


@pytest.mark.requirement("EQ-07")
def test_the_order_of_a_shoe_of_several_rounds_is_kept_over_all_of_them() -> None:
    bench = table(FAST, "manual-shoe", shoe_start_burn=False)
    shoe = list(bench.pack)
    for _ in range(3):
        begin(bench, (1,))
        bench.deal()
        bench.put(a.Decide(seat=1, choose="surrender"))
        bench.put(a.Collect(what="discards"))
        assert bench.put(a.Collect()).state == "complete"
    bench.next_pack = shoe[16:24] + shoe[:16] + shoe[24:]
    bench.shuffle()
    begin(bench, (1,))
    assert dealt_until_flagged(bench) <= 8


@pytest.mark.requirement("EQ-07")
@pytest.mark.parametrize("flag", ["out_of_flow", "face_up", "unreadable"])
def test_a_card_beside_the_table_counts_for_the_order_like_any_other(flag: str) -> None:
    bench = table()
    bench.next_pack = new_deck(bench, NEW_DECK_ORDERS[0])
    bench.shuffle()
    begin(bench, (1, 2, 3))
    for number in range(1, 9):
        outcome = bench.card(**{flag: True}) if number == 4 else bench.card()
        if outcome.state == "suspended" and outcome.alarm != "unshuffled-order":
            outcome = bench.resolve("continue")
        if "unshuffled-order" in outcome.alarms:
            break
    assert "unshuffled-order" in outcome.alarms
    assert number <= 8


@pytest.mark.requirement("EQ-07")
def test_the_seventh_card_in_order_raises_the_alarm_even_when_it_is_drawn_in_error() -> None:
    bench = table()
    bench.next_pack = new_deck(bench, NEW_DECK_ORDERS[0])
    bench.shuffle()
    begin(bench, (1, 2, 3))
    for _ in range(6):
        bench.card()
    outcome = bench.card(out_of_flow=True)
    assert (outcome.to, outcome.alarm, outcome.state) == ("aside", "unshuffled-order", "suspended")


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


def test_a_stack_whose_count_is_not_what_was_read_is_of_the_wrong_size() -> None:
    bench = table(method="automated-shoe")
    begin(bench)
    for _ in range(3):
        assert bench.card().to == "seat 1"
    outcome = bench.put(a.StackOut(count=2, origin=bench.origin("shoe")))
    assert (outcome.state, outcome.irregularity) == ("void", "wrong-stack-size")
