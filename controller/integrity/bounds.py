"""What a count of errors says about the rate behind it: exact bounds for the binomial distribution.

The bound is that of Clopper and Pearson: the largest rate at which as few errors as were seen would still come with a probability of
1 - confidence. No approximation is made, so it holds for no error at all and for few tries too (no error in n tries: about 3/n at 95 %,
EQ-103). It never promises more than it says, whatever the true rate is.
"""

from __future__ import annotations

import math
from typing import Final

STEPS: Final = 80
"""Halvings of the interval from 0 to 1: past the precision of a float."""


def few_or_none(errors: int, tries: int, rate: float) -> float:
    """Return the probability of at most so many errors."""
    if errors >= tries or rate <= 0.0:
        return 1.0
    if rate >= 1.0:
        return 0.0
    good, bad, whole = math.log1p(-rate), math.log(rate), math.lgamma(tries + 1)
    terms = (
        whole - math.lgamma(seen + 1) - math.lgamma(tries - seen + 1) + seen * bad + (tries - seen) * good for seen in range(errors + 1)
    )
    return min(1.0, math.fsum(map(math.exp, terms)))


def rate_at_most(errors: int, tries: int, confidence: float) -> float:
    """Return the rate that is exceeded with a probability of at most 1 - confidence; 1 without a try.

    Raises:
        ValueError: the numbers are none of such a count.
    """
    if not 0 <= errors <= tries or not 0.0 < confidence < 1.0:
        raise ValueError(f"{errors} errors in {tries} tries at {confidence} make no bound")
    if errors == tries:
        return 1.0
    low, high = errors / tries, 1.0
    for _ in range(STEPS):
        middle = (low + high) / 2
        if few_or_none(errors, tries, middle) > 1.0 - confidence:
            low = middle
        else:
            high = middle
    return high


def so_many_by_chance(errors: int, tries: int, rate: float) -> float:
    """Return the probability of at least so many errors."""
    if errors <= 0:
        return 1.0
    return max(0.0, 1.0 - few_or_none(errors - 1, tries, rate))


def tries_for(rate: float, confidence: float) -> int:
    """Return how many tries without one error show that the true rate is at most this.

    Raises:
        ValueError: no number of tries does.
    """
    if not 0.0 < rate < 1.0 or not 0.0 < confidence < 1.0:
        raise ValueError(f"no number of tries shows a rate of {rate} at {confidence}")
    return math.ceil(math.log(1.0 - confidence) / math.log1p(-rate))
