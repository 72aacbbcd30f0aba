"""False-alarm rates of the order tests: exact where a formula exists, otherwise sound upper bounds.

A rate is the probability that a perfectly shuffled shoe, read to its last card, sets off the test at least once. All
of them rest on one fact: in a shuffled set of N cards, a given place shows a given window of m cards with probability
`product of the copies left / (N (N-1) ... (N-m+1))`.

- Run test: the sum of this over all windows and all places (union bound). It is also a bound when single cards are
  unreadable, because at each place the test compares either m cards in a row or m cards around one gap, never both.
- Neighbours, one deck: the number X of kept neighbours of a circle of n different cards has the factorial moments
  E[C(X, k)] = 1/k! for k < n (k kept pairs join the cards into n-k blocks, which can tile the circle in n (n-k-1)! of
  n! ways, for each of the C(n-1, k) choices of places). Hence P(X >= t) exactly, by inclusion and exclusion.
- Neighbours, several decks: windows of three cards are counted. P(Y >= t) <= E[C(Y, k)] / C(t, k) for every k <= t,
  and the moment is bounded by summing over all ways in which k windows can lie, overlapping or not.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable, Iterable

from controller.decks import DeckSpec

TARGET = 1e-5
"""At most one false alarm in 100,000 shoes for each order test (EQ-07)."""
RUN_SHARE = 0.5
"""Of the target, half is for runs and half for kept neighbours."""


def most_copies(spec: DeckSpec) -> int:
    """Return the largest number of equal cards in the set."""
    return max(spec.copies(code) for code in spec.codes)


def window_probability(spec: DeckSpec, window: bytes) -> float:
    """Return the probability that a given place of a shuffled shoe shows exactly this window."""
    ways = 1
    for code, number in Counter(window).items():
        ways *= math.perm(spec.copies(code), number)
    return ways / math.perm(spec.cards, len(window))


def run_rate(spec: DeckSpec, windows: Iterable[bytes], length: int) -> float:
    """Bound the probability that any of these windows shows anywhere in a shuffled shoe."""
    places = spec.cards - length + 1
    return places * sum(window_probability(spec, window) for window in windows)


def repeat_run_rate(spec: DeckSpec, length: int) -> float:
    """Bound the same for the windows of any last shoe, both ways round, without knowing that shoe."""
    cards = spec.cards
    ways = math.prod([most_copies(spec)] * length)
    return (cards - length + 1) * 2 * cards * ways / math.perm(cards, length)


def neighbour_rate_one_deck(cards: int, threshold: int) -> float:
    """Return P(X >= threshold) for the kept neighbours, one way round, in a shuffled deck of different cards."""
    most = cards - 1
    return math.fsum(
        math.fsum((1 - j % 2 * 2) / math.factorial(j) for j in range(most - kept + 1)) / math.factorial(kept)
        for kept in range(threshold, most + 1)
    )


def neighbour_rate_decks(spec: DeckSpec, windows: int, branches: int, threshold: int) -> float:
    """Bound P(Y >= threshold) for the number Y of places that show one of `windows` windows of three cards.

    Args:
        spec: the shoe.
        windows: how many different windows count.
        branches: at most so many of them begin with a given card.
        threshold: kept windows that raise the alarm.
    """
    return min(
        (_moment(spec, windows, branches, k) / math.comb(threshold, k) for k in range(1, threshold + 1)),
        default=1.0,
    )


def _moment(spec: DeckSpec, windows: int, branches: int, k: int) -> float:
    """Bound E[C(Y, k)]: sum over b separate blocks that together hold k windows and cover `covered` cards."""
    cards, copies = spec.cards, most_copies(spec)
    blocks: dict[tuple[int, int], float] = {(0, 0): 1.0}
    total = 0.0
    for number in range(1, k + 1):
        blocks = _with_one_more_block(blocks, windows, branches, k)
        for (held, covered), ways in blocks.items():
            if held == k and covered <= cards:
                places = math.comb(cards - covered + number, number)
                total += places * ways * math.pow(copies, covered) / math.perm(cards, covered)
    return total


def _with_one_more_block(blocks: dict[tuple[int, int], float], windows: int, branches: int, k: int) -> dict[tuple[int, int], float]:
    """Append a block of windows that overlap: the first is free, each further one adds one or two cards."""
    further: dict[tuple[int, int], float] = {}
    for (held, covered), ways in blocks.items():
        chain = {3: ways * windows}
        for inside in range(1, k - held + 1):
            following: dict[int, float] = {}
            for length, amount in chain.items():
                key = (held + inside, covered + length)
                further[key] = further.get(key, 0.0) + amount
                for added in (1, 2):
                    following[length + added] = following.get(length + added, 0.0) + amount * branches
            chain = following
    return further


def smallest_threshold(rate: Callable[[int], float], limit: float) -> int:
    """Return the smallest count whose false-alarm rate is within the limit."""
    return next(threshold for threshold in itertools.count(1) if rate(threshold) <= limit)
