"""The order tests find an unshuffled or repeated order within eight cards, wherever it was cut, and tell no card."""

import random
from collections.abc import Sequence

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controller.decks import NEW_DECK_ORDERS, ONE_DECK, SIX_DECKS, DeckSpec, NewDeckOrder, new_deck_codes
from controller.integrity.order import (
    RUN_CARDS,
    OrderFinding,
    OrderKind,
    OrderWatch,
    neighbour_length,
    neighbour_thresholds,
)

SPECS = (
    ONE_DECK,
    DeckSpec(jokers=2),
    DeckSpec(decks=2),
    SIX_DECKS,
    DeckSpec(decks=8),
    DeckSpec(decks=6, without_ranks=(10,)),
)
WITHIN = 8


def shuffled(spec: DeckSpec, seed: int) -> bytes:
    cards = list(new_deck_codes(spec, NEW_DECK_ORDERS[0]))
    random.Random(seed).shuffle(cards)
    return bytes(cards)


def cut(order: bytes, place: int) -> bytes:
    return order[place:] + order[:place]


def first_finding(watch: OrderWatch, codes: Sequence[int]) -> OrderFinding | None:
    for code in codes:
        watch, finding = watch.advance(code)
        if finding:
            return finding
    return None


def with_unread(codes: bytes, *places: int) -> bytes:
    return bytes(0 if place in places else code for place, code in enumerate(codes))


@pytest.mark.requirement("EQ-07")
@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: f"{spec.cards} cards")
@pytest.mark.parametrize("order", NEW_DECK_ORDERS, ids=lambda order: order.name)
def test_every_packing_is_found_within_eight_cards_at_every_cut_both_ways(spec: DeckSpec, order: NewDeckOrder) -> None:
    packed = new_deck_codes(spec, order)
    for sequence in (packed, packed[::-1]):
        for place in range(spec.per_deck):
            finding = first_finding(OrderWatch.start(spec), cut(sequence, place)[:WITHIN])
            assert finding is not None, f"cut at {place}"
            assert finding.kind is OrderKind.NEW_DECK
            assert finding.cards_read <= WITHIN


@pytest.mark.requirement("EQ-07")
@pytest.mark.parametrize("unread", range(WITHIN))
@pytest.mark.parametrize("spec", [ONE_DECK, SIX_DECKS], ids=["52", "312"])
def test_one_unreadable_card_among_the_first_eight_hides_no_new_deck(spec: DeckSpec, unread: int) -> None:
    packed = new_deck_codes(spec, NEW_DECK_ORDERS[0])
    for place in range(spec.per_deck):
        finding = first_finding(OrderWatch.start(spec), with_unread(cut(packed, place)[:WITHIN], unread))
        assert finding is not None, f"cut at {place}"


@pytest.mark.requirement("EQ-22")
@pytest.mark.parametrize("decks", [1, 2, 6, 8])
@pytest.mark.parametrize("suits", ["cdhs", "shdc", "hcds"])
def test_a_set_left_by_sort_mode_is_found_too(decks: int, suits: str) -> None:
    spec = DeckSpec(decks=decks)
    in_suits = ["cdhs".index(letter) + 1 for letter in suits]
    by_rank = [(suit << 4) | rank for rank in spec.ranks for suit in in_suits]
    by_suit = [(suit << 4) | rank for suit in in_suits for rank in spec.ranks]
    together = [bytes(code for code in order for _ in range(decks)) for order in (by_rank, by_suit)]
    for sorted_set in (bytes(by_rank) * decks, *together):
        for place in range(spec.cards):
            assert first_finding(OrderWatch.start(spec), cut(sorted_set, place)[:WITHIN]), f"cut at {place}"


@pytest.mark.requirement("EQ-07")
@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: f"{spec.cards} cards")
def test_the_last_shoe_and_its_reverse_are_found_within_eight_cards_at_every_cut(spec: DeckSpec) -> None:
    last = shuffled(spec, seed=20)
    watch = OrderWatch.start(spec, last)
    for sequence, kind in ((last, OrderKind.LAST_SHOE), (last[::-1], OrderKind.LAST_SHOE_REVERSED)):
        for place in range(spec.cards):
            finding = first_finding(watch, cut(sequence, place)[:WITHIN])
            assert finding is not None, f"cut at {place}"
            assert (finding.kind, finding.cards_read) == (kind, RUN_CARDS)


@pytest.mark.requirement("EQ-07", "EQ-34")
@settings(deadline=None)
@given(data=st.data(), reverse=st.booleans(), spec=st.sampled_from([ONE_DECK, SIX_DECKS]))
def test_one_card_unreadable_in_this_shoe_or_the_last_or_both_hides_no_repetition(
    data: st.DataObject, reverse: bool, spec: DeckSpec
) -> None:
    whole = shuffled(spec, seed=data.draw(st.integers(0, 50)))
    place = data.draw(st.integers(0, spec.cards - 1))
    again = cut(whole[::-1] if reverse else whole, place)
    unread = data.draw(st.integers(0, WITHIN - 1))
    in_this, in_last = data.draw(st.sampled_from([(True, False), (False, True), (True, True)]))
    read = with_unread(again, unread) if in_this else again
    seen = with_unread(again, unread) if in_last else again
    finding = first_finding(OrderWatch.start(spec, seen), read[:WITHIN])
    assert finding is not None
    assert finding.kind is OrderKind.LAST_SHOE


def test_two_unreadable_cards_in_a_row_of_eight_are_too_many_but_the_run_is_found_behind_them() -> None:
    last = shuffled(ONE_DECK, seed=3)
    watch = OrderWatch.start(ONE_DECK, last)
    assert first_finding(watch, with_unread(last, 3, 4)[:WITHIN]) is None
    finding = first_finding(watch, with_unread(last, 3, 4))
    assert finding is not None
    assert finding.cards_read == 5 + RUN_CARDS


def test_a_shuffled_shoe_of_the_usual_sizes_raises_nothing() -> None:
    for spec in SPECS:
        for seed in range(20):
            watch = OrderWatch.start(spec, shuffled(spec, seed))
            assert first_finding(watch, shuffled(spec, seed + 1000)) is None


@pytest.mark.requirement("EQ-07")
def test_an_order_that_begins_in_the_middle_of_a_shoe_is_found_seven_cards_later() -> None:
    last = shuffled(SIX_DECKS, seed=5)
    before = bytes(code for code in shuffled(SIX_DECKS, seed=6)[:100])
    finding = first_finding(OrderWatch.start(SIX_DECKS, last), before + last[40:60])
    assert finding is not None
    assert 100 + RUN_CARDS - 2 <= finding.cards_read <= 100 + RUN_CARDS


def riffled(order: bytes, rng: random.Random) -> bytes:
    """One riffle: two halves interleaved card by card at random."""
    half = len(order) // 2
    left, right = list(order[:half]), list(order[half:])
    mixed = []
    while left or right:
        take_left = rng.random() < len(left) / (len(left) + len(right))
        mixed.append(left.pop(0) if take_left else right.pop(0))
    return bytes(mixed)


@pytest.mark.requirement("EQ-21")
@pytest.mark.parametrize("spec", [ONE_DECK, SIX_DECKS], ids=["52", "312"])
def test_a_set_riffled_only_once_is_found_by_its_kept_neighbours(spec: DeckSpec) -> None:
    rng = random.Random(8)
    for _ in range(20):
        last = shuffled(spec, rng.randrange(10**6))
        found_last = first_finding(OrderWatch.start(spec, last), riffled(last, rng))
        assert found_last is not None
        new_deck = riffled(new_deck_codes(spec, NEW_DECK_ORDERS[1]), rng)
        assert first_finding(OrderWatch.start(spec), new_deck) is not None


@pytest.mark.requirement("EQ-21")
def test_packets_of_three_cards_put_together_anew_are_found_without_any_run() -> None:
    rng = random.Random(9)
    for spec in (ONE_DECK, SIX_DECKS):
        last = shuffled(spec, 10)
        packets = [last[start : start + 3] for start in range(0, spec.cards, 3)]
        rng.shuffle(packets)
        finding = first_finding(OrderWatch.start(spec, last), b"".join(packets))
        assert finding is not None
        assert finding.kind is OrderKind.LAST_SHOE_NEIGHBOURS
        assert finding.matched == neighbour_thresholds(spec)[1]


def test_kept_neighbours_are_counted_each_way_by_hand() -> None:
    """The number at which the alarm is raised is the number of kept neighbours that anyone can count."""
    for spec in (ONE_DECK, SIX_DECKS):
        length = neighbour_length(spec)
        last = shuffled(spec, 11)
        packets = [last[start : start + 3] for start in range(0, spec.cards, 3)]
        random.Random(12).shuffle(packets)
        codes = b"".join(packets)
        circle = last + last[: length - 1]
        finding = first_finding(OrderWatch.start(spec, last), codes)
        assert finding is not None
        read = codes[: finding.cards_read]
        groups = [read[end - length : end] for end in range(length, len(read) + 1)]
        one_way = sum(group in circle for group in groups)
        other_way = sum(group[::-1] in circle for group in groups)
        assert max(one_way, other_way) == finding.matched


def test_a_kind_is_reported_once_a_shoe_and_kept_as_found() -> None:
    watch = OrderWatch.start(ONE_DECK)
    findings = []
    for code in new_deck_codes(ONE_DECK, NEW_DECK_ORDERS[0]):
        watch, finding = watch.advance(code)
        findings += [finding.kind] if finding else []
    assert findings == [OrderKind.NEW_DECK, OrderKind.NEW_DECK_NEIGHBOURS]
    assert watch.kinds_found == (OrderKind.NEW_DECK, OrderKind.NEW_DECK_NEIGHBOURS)
    assert watch.next_shoe().kinds_found == ()


def test_the_next_shoe_must_not_repeat_this_one() -> None:
    order = shuffled(SIX_DECKS, 13)
    watch = OrderWatch.start(SIX_DECKS)
    for code in order:
        watch, _ = watch.advance(code)
    assert watch.read == order
    finding = first_finding(watch.next_shoe(), cut(order, 111)[:WITHIN])
    assert finding is not None
    assert finding.kind is OrderKind.LAST_SHOE


def test_a_shoe_that_ended_early_is_compared_with_as_much_as_was_read() -> None:
    last = shuffled(SIX_DECKS, 14)[:260]
    finding = first_finding(OrderWatch.start(SIX_DECKS, last), last[30 : 30 + WITHIN])
    assert finding is not None
    assert first_finding(OrderWatch.start(SIX_DECKS, last[:5]), last[:50]) is None


@pytest.mark.requirement("EQ-72")
def test_neither_a_watch_nor_a_finding_tells_a_card() -> None:
    texts = []
    for seed in (1, 2):
        last = shuffled(ONE_DECK, seed)
        watch = OrderWatch.start(ONE_DECK, last)
        for code in last[: RUN_CARDS - 1]:
            watch, _ = watch.advance(code)
        watch, finding = watch.advance(last[RUN_CARDS - 1])
        assert finding is not None
        texts.append((repr(watch), repr(watch.reference), repr(finding), finding.sentence))
    assert texts[0] == texts[1]
    assert "call a supervisor" in texts[0][3]


def test_a_watch_survives_being_stored_and_goes_on_from_there() -> None:
    last = shuffled(SIX_DECKS, 15)
    watch = OrderWatch.start(SIX_DECKS, last)
    for code in last[:4]:
        watch, _ = watch.advance(code)
    stored = msgspec.msgpack.decode(msgspec.msgpack.encode(watch), type=OrderWatch)
    assert stored == watch
    finding = first_finding(stored, last[4:WITHIN])
    assert finding is not None
    assert finding.cards_read == RUN_CARDS


@settings(deadline=None)
@given(st.lists(st.integers(0, 255), max_size=120), st.binary(max_size=60))
def test_no_codes_of_any_kind_break_it(codes: list[int], last: bytes) -> None:
    watch = OrderWatch.start(ONE_DECK, last)
    for code in codes:
        watch, _ = watch.advance(code)
    assert watch.read == bytes(codes)
