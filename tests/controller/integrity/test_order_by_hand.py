"""The order watch against the plainest possible reading of its definition, on sequences full of half-kept orders."""

import functools

from hypothesis import example, given, settings
from hypothesis import strategies as st

from controller.decks import NEW_DECK_ORDERS, ONE_DECK, DeckSpec, new_deck_codes
from controller.integrity.order import RUN_CARDS, OrderKind, OrderWatch, neighbour_length, neighbour_thresholds
from controller.integrity.patterns import new_deck_windows

TWO_SMALL = DeckSpec(decks=2, without_ranks=(2, 3, 4, 5, 6))
ONE_WITH_JOKER = DeckSpec(jokers=1)


def matches(read: bytes, order: bytes) -> bool:
    """Seven known cards in a row, or eight places with one unknown in between, on one side or on both."""
    if len(read) == RUN_CARDS:
        return read == order and 0 not in read
    unknown = [place for place, (a, b) in enumerate(zip(read, order, strict=True)) if not (a and b)]
    known_agree = all(a == b for a, b in zip(read, order, strict=True) if a and b)
    return known_agree and len(unknown) == 1 and 0 < unknown[0] < RUN_CARDS


@functools.cache
def new_deck(spec: DeckSpec, length: int) -> frozenset[bytes]:
    return new_deck_windows(spec, length)


def runs_by_hand(spec: DeckSpec, last: bytes, read: bytes) -> set[OrderKind]:
    kinds = set()
    for length in (RUN_CARDS, RUN_CARDS + 1):
        if len(read) < length:
            continue
        newest = read[-length:]
        # A new deck has no unknown cards, so the gap can only be on this side.
        if newest.count(0) == length - RUN_CARDS and any(matches(newest, window) for window in new_deck(spec, length)):
            kinds.add(OrderKind.NEW_DECK)
        for order, kind in ((last, OrderKind.LAST_SHOE), (last[::-1], OrderKind.LAST_SHOE_REVERSED)):
            if len(order) <= RUN_CARDS:
                continue
            circle = order + order[:RUN_CARDS]
            if any(matches(newest, circle[at : at + length]) for at in range(len(order))):
                kinds.add(kind)
    return kinds


def kept_by_hand(spec: DeckSpec, last: bytes, read: bytes) -> tuple[int, int]:
    """The larger number of kept groups of either direction: as a new deck, as the last shoe."""
    length = neighbour_length(spec)
    groups = [read[end - length : end] for end in range(length, len(read) + 1)]
    known = [group for group in groups if 0 not in group and 14 not in group]
    suits = [bytes((suit << 4) | rank for rank in spec.ranks) for suit in range(1, 5)]
    circle = last + last[: length - 1] if len(last) >= length else b""
    rising = sum(any(group in suit for suit in suits) for group in known)
    falling = sum(any(group[::-1] in suit for suit in suits) for group in known)
    forward = sum(group in circle for group in known)
    backward = sum(group[::-1] in circle for group in known)
    return max(rising, falling), max(forward, backward)


@st.composite
def shoes(draw: st.DrawFn) -> tuple[DeckSpec, bytes, bytes]:
    """A composition, a last shoe, and reads pieced together from the last shoe, its reverse, a new deck and chance."""
    spec = draw(st.sampled_from([ONE_DECK, TWO_SMALL, ONE_WITH_JOKER]))
    packed = new_deck_codes(spec, draw(st.sampled_from(NEW_DECK_ORDERS)))
    last = bytes(draw(st.permutations(packed)))[: draw(st.integers(0, spec.cards))]
    pieces = []
    for _ in range(draw(st.integers(1, 6))):
        source = draw(st.sampled_from([last, last[::-1], packed, packed[::-1], bytes(draw(st.permutations(packed)))]))
        start = draw(st.integers(0, spec.cards))
        pieces.append((source + source)[start : start + draw(st.integers(1, 12))])
    read, last_seen = bytearray(b"".join(pieces)), bytearray(last)
    for codes in (read, last_seen):
        for place in draw(st.lists(st.integers(0, 60), max_size=4)):
            if place < len(codes):
                codes[place] = 0
    return spec, bytes(last_seen), bytes(read)


@settings(deadline=None, max_examples=40)
@given(shoes())
@example((ONE_DECK, b"", new_deck_codes(ONE_DECK, NEW_DECK_ORDERS[0])))
def test_every_kind_is_reported_at_the_card_at_which_its_definition_first_holds(shoe: tuple[DeckSpec, bytes, bytes]) -> None:
    spec, last, read = shoe
    thresholds = neighbour_thresholds(spec)
    watch, expected = OrderWatch.start(spec, last), set[OrderKind]()
    for number in range(1, len(read) + 1):
        watch, _ = watch.advance(read[number - 1])
        so_far = read[:number]
        runs = runs_by_hand(spec, last, so_far)
        # One card completes a run of one kind; where several hold at once, the first in this order is told.
        told = next((kind for kind in (OrderKind.NEW_DECK, OrderKind.LAST_SHOE, OrderKind.LAST_SHOE_REVERSED) if kind in runs), None)
        kept = kept_by_hand(spec, last, so_far)
        expected |= {told} if told else set()
        expected |= {OrderKind.NEW_DECK_NEIGHBOURS} if kept[0] >= thresholds[0] else set()
        expected |= {OrderKind.LAST_SHOE_NEIGHBOURS} if kept[1] >= thresholds[1] else set()
        assert set(watch.kinds_found) == expected, number
