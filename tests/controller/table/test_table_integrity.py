"""Cards that cannot be, and orders that no shuffle gives."""

from __future__ import annotations

import pytest

from controller.decks import NEW_DECK_ORDERS, NewDeckOrder, new_deck_codes
from controller.table import acts as a
from firmware_bridge.cards import JOKER, Card, card_from_code, parse_card
from tests.controller.table.bench import TABLES, Bench
from tests.controller.table.right_acts import right_act
from tests.controller.table.scripts import FAST, begin, end_round, table


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

FIVE = (1, 2, 3, 4, 5)
"""Enough seats for eight cards in games that deal one card to each."""


def new_deck(bench: Bench, order: NewDeckOrder) -> list[Card]:
    found = [card_from_code(code) for code in new_deck_codes(bench.procedure.deck, order)]
    return [card for card in found if card is not None]


PEOPLE_FIRST = ("decide", "expose", "collect", "close_bets", "wager")
"""What people do between the cards of a round, and until the next one."""


def dealt_until_flagged(bench: Bench) -> int:
    """Cards read when the order is found."""
    for _ in range(60):
        outcome = bench.view()
        if outcome.gate != "open":
            name = next((name for name in PEOPLE_FIRST if name in outcome.next), None)
            act = right_act(bench, name) if name is not None else None
            assert act is not None, f"the order was not found: {outcome}"
            bench.put(act)
            continue
        outcome = bench.card() if "card" in outcome.next else bench.stack(getattr(bench.procedure.step(outcome.phase), "size", 0))
        if outcome.irregularity == "unshuffled-order":
            assert (outcome.gate, outcome.state, outcome.alarm) == ("locked", "suspended", "unshuffled-order")
            assert not [name for name in map(str, bench.pack) if f" {name} " in outcome.message]
            return len(bench.state.deck.watch.read)
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
    begin(bench, FIVE)
    most = 8 if method != "automated-shoe" else 8 + 3
    assert dealt_until_flagged(bench) <= most, "a stack is judged as a whole"


@pytest.mark.requirement("EQ-07", "EQ-21")
@pytest.mark.parametrize("backwards", [False, True])
@pytest.mark.parametrize("game", [game for game, method in TABLES if method == "hand"])
def test_the_last_shoes_order_and_its_reverse_are_found_within_eight_cards(game: str, backwards: bool) -> None:
    bench = table(game)
    shoe = list(bench.pack)
    begin(bench, FIVE)
    read = 0
    while bench.view().gate == "open" and read < 12:
        bench.card()
        read += 1
    assert read >= 8
    end_round(bench)
    bench.next_pack = shoe[:read][::-1] + shoe[read:] if backwards else shoe
    bench.shuffle()
    begin(bench, FIVE)
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
    begin(bench, FIVE)
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
    begin(bench, FIVE)
    for _ in range(6):
        bench.card()
    outcome = bench.card(out_of_flow=True)
    assert (outcome.to, outcome.alarm, outcome.state) == ("aside", "unshuffled-order", "suspended")
