"""What a device may take of the loop: nothing is held back that brings something, a flood keeps to its share, and is told once."""

from __future__ import annotations

import pytest

from firmware_bridge.fair_share import BEHIND_S, BURST_S, FLOOD_S, NOTICE_S, SHARE, TURN_MAX_S, TURN_S, WAKE_S, FairShare, Turn
from firmware_bridge.transport.base import TURN_BYTES

BAUD = 115_200
LINE_BYTES_S = BAUD / 10
BYTE_S = 2e-6
"""What a wasted byte costs on a common small machine."""
UART_BYTES = 14
"""As many as a UART hands over at once."""


class Line:
    """A line that brings so many bytes a second, read by a loop that does what the share says."""

    def __init__(self, bytes_s: float, byte_s: float = BYTE_S) -> None:
        self.share = FairShare(BAUD, 0.0)
        self.now_s = self.spent_s = self.waiting = 0.0
        self.reads = 0
        self.told: list[Turn] = []
        self._bytes_s, self._byte_s = bytes_s, byte_s

    def run(self, seconds: float) -> None:
        until = self.now_s + seconds
        while self.now_s < until:
            pause_s = UART_BYTES / self._bytes_s if self._bytes_s else seconds
            self._pass(pause_s)
            self._read()

    def calm_down(self) -> None:
        """A heartbeat now and then is all that comes from now on."""
        self._bytes_s = 10.0

    def _read(self) -> None:
        size = min(int(self.waiting), TURN_BYTES if self.share.in_turns else 4096)
        self.waiting -= size
        if not size:
            return
        self.reads += 1
        self.spent_s += size * self._byte_s
        turn = self.share.charge(size * self._byte_s, size, 0, self.now_s, waits=True)
        if turn.flood_bytes_s or turn.is_behind:
            self.told.append(turn)
        self._pass(turn.rest_s)

    def _pass(self, seconds: float) -> None:
        self.now_s += seconds
        self.waiting = min(self.waiting + seconds * self._bytes_s, 1e6)


@pytest.mark.requirement("EQ-58", "T-27")
def test_a_flood_at_line_rate_is_read_in_turns_and_all_of_it() -> None:
    line = Line(LINE_BYTES_S)
    line.run(60.0)
    assert line.share.in_turns
    assert line.spent_s < 60.0 * SHARE
    assert line.reads < 1.1 * 60.0 / TURN_S + BURST_S / WAKE_S, "800 times a second without turns; and no rest of the share is given it"
    assert line.waiting < TURN_BYTES, "a serial line never brings more than the turns take"
    assert len(line.told) == 1
    assert line.told[0].flood_bytes_s == pytest.approx(LINE_BYTES_S, rel=0.1)


@pytest.mark.requirement("EQ-58", "T-27")
@pytest.mark.parametrize("byte_s", [BYTE_S, 20e-6])
def test_more_than_a_line_can_carry_keeps_to_its_share_and_is_given_up(byte_s: float) -> None:
    line = Line(1e6, byte_s)
    line.run(2 * BEHIND_S)
    first = 4096 * byte_s
    assert line.spent_s <= 2 * BEHIND_S * SHARE + BURST_S + 2 * first
    assert any(turn.is_behind for turn in line.told)


@pytest.mark.requirement("EQ-58", "T-27")
def test_a_flood_that_costs_less_than_its_share_is_not_given_the_rest_of_it() -> None:
    line = Line(LINE_BYTES_S, BYTE_S / 10)
    line.run(60.0)
    assert line.share.in_turns
    assert line.reads < 1.1 * 60.0 / TURN_S + BURST_S / WAKE_S
    line.calm_down()
    line.run(5.0)
    assert not line.share.in_turns


@pytest.mark.requirement("EQ-58", "T-27")
def test_a_flood_is_read_in_turns_before_it_has_spent_a_burst() -> None:
    line = Line(LINE_BYTES_S, 0.0)
    line.run(2 * FLOOD_S)
    assert line.share.in_turns
    assert line.reads * WAKE_S < 2 * BURST_S


@pytest.mark.requirement("EQ-58", "T-27")
def test_a_flood_that_is_held_up_for_a_moment_is_the_same_flood() -> None:
    line = Line(LINE_BYTES_S, BYTE_S / 10)
    line.run(10.0)
    for _ in range(20):
        assert line.share.charge(0.0, UART_BYTES, 0, line.now_s + 0.1, waits=True).rest_s == TURN_S
        line.now_s += 0.1
        line.run(FLOOD_S)


@pytest.mark.requirement("EQ-58")
def test_a_few_messages_that_are_all_said_three_times_are_not_held_back() -> None:
    share, now_s, rests = FairShare(4800, 0.0), 0.0, []
    for _ in range(60):
        for _ in range(5):
            for brought in (1, 0, 0):
                now_s += 8 * 10 / 4800
                rests.append(share.charge(0.0001, 8, brought, now_s, waits=False).rest_s)
        now_s += 1.0
    assert not any(rests)


@pytest.mark.requirement("EQ-58")
def test_heartbeats_and_a_little_noise_are_never_held_back() -> None:
    line = Line(LINE_BYTES_S / 20)
    line.run(60.0)
    assert not line.share.in_turns
    assert line.told == []
    assert line.reads > 0.9 * 60.0 * LINE_BYTES_S / 20 / UART_BYTES


def test_what_was_waited_for_costs_nothing_however_much_it_is() -> None:
    share, now_s = FairShare(BAUD, 0.0), 0.0
    for _ in range(1000):
        now_s += 0.004
        assert share.charge(0.003, 4096, 80, now_s, waits=True) == Turn()


@pytest.mark.requirement("EQ-58")
@pytest.mark.parametrize(("cards_s", "held_back"), [(5, False), (30, False), (200, True)])
def test_a_device_that_waits_for_nobody_pays_for_its_cards(cards_s: int, held_back: bool) -> None:
    share = FairShare(BAUD, 0.0)
    rests = [share.charge(0.0001, 60, 1, number / cards_s, waits=False).rest_s for number in range(10 * cards_s)]
    assert any(rests) is held_back


def test_rests_are_bounded_and_end_with_the_flood() -> None:
    share = FairShare(BAUD, 0.0)
    rests = [share.charge(5.0, 4096, 0, 0.0, waits=True).rest_s, share.charge(0.0, 8, 0, 0.1, waits=True).rest_s]
    assert rests == [TURN_MAX_S, TURN_MAX_S]
    assert share.charge(0.0, 8, 0, 1000.0, waits=True).rest_s == 0.0
    assert not share.in_turns


@pytest.mark.requirement("EQ-58")
def test_each_flood_is_told_once() -> None:
    share, told, now_s = FairShare(BAUD, 0.0), [], 0.0
    for bytes_s in (LINE_BYTES_S, LINE_BYTES_S, 10.0, 10.0, LINE_BYTES_S, LINE_BYTES_S):
        for _ in range(60):
            now_s += NOTICE_S / 50
            told.append(share.charge(0.0, int(bytes_s * NOTICE_S / 50), 0, now_s, waits=True).flood_bytes_s)
    assert len([bytes_s for bytes_s in told if bytes_s]) == 2
