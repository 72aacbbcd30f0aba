"""How long a sealed session may live: by age and by frames, with room for what is under way (SDP/1 1.10)."""

from __future__ import annotations

from firmware_bridge.seal import FRAMES_MAX, Sealer
from firmware_bridge.session.limits import (
    SESSION_AGE_MAX_S,
    SESSION_FRAMES_MIN,
    SESSION_FRAMES_SPARE,
    STATUS_INTERVAL_S,
)


class SessionLifetime:
    """One sealed session and when it must be followed by another."""

    def __init__(self, sealer: Sealer, frames_granted: int, now: float) -> None:
        self.sealer = sealer
        self.renew_at = now + SESSION_AGE_MAX_S
        granted = min(frames_granted, FRAMES_MAX)
        # Well before the limit, but not at once even where a device grants next to nothing.
        self._frames_max = max(granted - SESSION_FRAMES_SPARE, granted // 2, SESSION_FRAMES_MIN)

    def is_over(self, now: float) -> bool:
        return now >= self.renew_at or self.sealer.frames >= self._frames_max

    def put_off(self, now: float) -> None:
        """Ask again in a second: commands wait for their answers."""
        self.renew_at = now + STATUS_INTERVAL_S

    def next_deadline(self, last_sealed_out: float, *, awaited: bool) -> float:
        """Return when to renew, or to ask STATUS unless its answer is `awaited` already."""
        return self.renew_at if awaited else min(self.renew_at, last_sealed_out + STATUS_INTERVAL_S)


def earlier(one: float | None, other: float | None) -> float | None:
    """Return the earlier of two deadlines, None for never."""
    if one is None or other is None:
        return one if other is None else other
    return min(other, one)
