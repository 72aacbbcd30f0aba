"""The grade of a line: the share of damaged frames in the last 60 s (SDP/1 1.12)."""

from __future__ import annotations

from array import array
from enum import Enum

from firmware_bridge.link.faults import LinkCounters
from firmware_bridge.link.limits import (
    QUALITY_DEGRADED_PER_MILLE,
    QUALITY_FRAMES_MIN,
    QUALITY_WARNING_PER_MILLE,
    QUALITY_WITHIN_S,
)


class LineGrade(Enum):
    GOOD = "good"
    WARNING = "warning"
    """More than 5 % of the frames of the last 60 s were damaged."""
    DEGRADED = "degraded"
    """More than 20 %: alarm."""


class QualityWatch:
    """Remembers the counters of each of the last 60 seconds, in columns, and grades their difference."""

    def __init__(self) -> None:
        self.grade = LineGrade.GOOD
        self.damaged_per_mille = 0
        self._times = array("d")
        self._damaged = array("Q")
        self._frames = array("Q")

    def watch(self, counters: LinkCounters, now: float) -> bool:
        """Take note of the counters, at most once a second; tell whether the grade changed."""
        times = self._times
        if times and now - times[-1] < 1.0:
            return False
        times.append(now)
        self._damaged.append(counters.damaged)
        self._frames.append(counters.frames_in)
        while now - times[0] > QUALITY_WITHIN_S:
            for column in (times, self._damaged, self._frames):
                del column[0]
        damaged = counters.damaged - self._damaged[0]
        frames = damaged + counters.frames_in - self._frames[0]
        if frames < QUALITY_FRAMES_MIN:
            return False
        self.damaged_per_mille = damaged * 1000 // frames
        before = self.grade
        if self.damaged_per_mille > QUALITY_DEGRADED_PER_MILLE:
            self.grade = LineGrade.DEGRADED
        elif self.damaged_per_mille > QUALITY_WARNING_PER_MILLE:
            self.grade = LineGrade.WARNING
        else:
            self.grade = LineGrade.GOOD
        return self.grade is not before
