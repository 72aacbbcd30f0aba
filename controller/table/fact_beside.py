"""Facts of a table beside another host: taken up in the middle, left unjudged, compared with what the other host makes of it."""

from __future__ import annotations

from controller.table.fact_base import Fact


class ShoeJoined(Fact, frozen=True, kw_only=True, tag=True):
    """A shoe that is under way is followed from here; what is known of it stays partial until the next one."""

    shoe: int
    keeps: bool
    """Nothing was missed: what is known of the cards so far goes on to count."""


class RoundLeft(Fact, frozen=True, kw_only=True, tag=True):
    """A round is followed no further: nothing of it is judged."""

    why: str


class HostCompared(Fact, frozen=True, kw_only=True, tag=True):
    """What the line told of another's judgement, beside what the cards say here."""

    what: str
    """`result`, `place`, `going-on`."""
    told: str
    found: str
    """Empty where nothing could be judged here."""
    agrees: bool
