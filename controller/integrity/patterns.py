"""Which short runs of cards betray an unshuffled set: the windows that the order test looks for.

A window is a few card codes in sequence, oldest first. This file lists all windows of a given length

- of new decks: suit by suit, every suit sequence, each suit ace to king or king to ace, decks one on another, any cut;
- of sorted sets, as a device in sort mode leaves them: rank by rank in any fixed suit sequence, and both kinds with the
  equal cards of several decks together;
- of a given sequence (the last shoe) as a closed circle, so that any cut is included, either way round.

It knows nothing of probabilities (`rates`) nor of the shoe in progress (`order`).
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from controller.decks import DeckSpec
from firmware_bridge.cards import JOKER


def new_deck_windows(spec: DeckSpec, length: int) -> frozenset[bytes]:
    """Return every window of `length` cards that an unshuffled or sorted set of this composition can show."""
    windows = set(_suit_by_suit(spec, length)) | set(_rank_by_rank(spec, length))
    if spec.decks > 1:
        different = (length + spec.decks - 2) // spec.decks + 1
        for base in (*_suit_by_suit(spec, different), *_rank_by_rank(spec, different)):
            together = b"".join(bytes([code]) * spec.decks for code in base)
            windows.update(together[start : start + length] for start in range(spec.decks))
    return frozenset(windows)


def neighbour_windows(spec: DeckSpec, length: int) -> tuple[frozenset[bytes], frozenset[bytes]]:
    """Return the windows inside one suit, rising and falling: what a poorly shuffled new deck keeps."""
    rising = frozenset(window for suit in range(1, 5) for window in _slices(bytes((suit << 4) | rank for rank in spec.ranks), length))
    return rising, frozenset(window[::-1] for window in rising)


def circle_windows(order: bytes, length: int) -> tuple[bytes, ...]:
    """Return the windows of a sequence closed to a circle, one for each starting place; none if it is too short."""
    if len(order) < length:
        return ()
    return _slices(order + order[: length - 1], length)


def _suit_by_suit(spec: DeckSpec, length: int) -> Iterator[bytes]:
    runs = [bytes((suit << 4) | rank for rank in spec.ranks) for suit in range(1, 5)]
    both_ways = [(run, run[::-1]) for run in runs]
    for run in itertools.chain.from_iterable(both_ways):
        yield from _slices(run, length)
    for jokers in range(min(spec.jokers, length) + 1):
        between = bytes([JOKER.code]) * jokers
        for before in range(length - jokers + 1):
            after = length - jokers - before
            if not jokers and not (before and after):
                continue
            for first, second in itertools.permutations(both_ways, 2):
                yield from (_end(a, before) + between + b[:after] for a in first for b in second if len(b) >= after)


def _end(run: bytes, cards: int) -> bytes:
    return run[len(run) - cards :] if cards else b""


def _rank_by_rank(spec: DeckSpec, length: int) -> Iterator[bytes]:
    for suits in itertools.permutations(range(1, 5)):
        for ranks in (spec.ranks, spec.ranks[::-1]):
            order = bytes((suit << 4) | rank for rank in ranks for suit in suits)
            yield from circle_windows(order, length)


def _slices(order: bytes, length: int) -> tuple[bytes, ...]:
    return tuple([order[start : start + length] for start in range(len(order) - length + 1)])
