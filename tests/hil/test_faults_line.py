"""The vocabulary of faults: read from text, seeded, and doing on a line what its help says."""

from __future__ import annotations

import random

import pytest

from hil.faults import CUT_S, FAULTS, LONGEST_DELAY_S, DeviceFaults, FaultError, FaultyLine, Place, help_text, parse_fault

CHUNKS = [bytes([n]) * (5 + n % 40) for n in range(1, 200)]


def timed_through(*orders: str, seed: int = 1) -> tuple[list[tuple[float, bytes]], FaultyLine]:
    """Send all chunks, one every 10 ms, and wait until the line is empty; return what came and when."""
    line = FaultyLine([parse_fault(order) for order in orders], random.Random(seed))
    arrived: list[tuple[float, bytes]] = []

    def take_until(now_s: float) -> None:
        while (due_s := line.next_due_s()) is not None and due_s <= now_s:
            arrived.extend((due_s, chunk) for chunk in line.take(due_s))

    for number, chunk in enumerate(CHUNKS):
        take_until(number / 100)
        line.feed(chunk, number / 100)
    take_until(float("inf"))
    return arrived, line


def sent_through(*orders: str, seed: int = 1) -> tuple[list[bytes], FaultyLine]:
    arrived, line = timed_through(*orders, seed=seed)
    return [chunk for _, chunk in arrived], line


def test_a_line_without_faults_changes_nothing() -> None:
    arrived, line = sent_through()
    assert arrived == CHUNKS
    assert line.is_clean


@pytest.mark.parametrize("name", [fault.name for fault in FAULTS if fault.place is Place.LINE])
def test_every_line_fault_is_seeded_and_happens(name: str) -> None:
    once, line = timed_through(f"{name}:0.2", seed=7)
    again, _ = timed_through(f"{name}:0.2", seed=7)
    other, _ = timed_through(f"{name}:0.2", seed=8)
    assert once == again
    assert once != timed_through()[0]
    assert once != other
    assert line.struck[name] > 0


@pytest.mark.parametrize("name", ["delay", "split", "merge"])
def test_faults_of_time_lose_and_reorder_nothing(name: str) -> None:
    arrived, _ = sent_through(f"{name}:0.5", seed=3)
    assert b"".join(arrived) == b"".join(CHUNKS)


def test_all_time_faults_together_lose_nothing_at_any_rate() -> None:
    arrived, _ = sent_through("delay:1", "split:1", "merge:1", seed=4)
    assert b"".join(arrived) == b"".join(CHUNKS)


def test_a_flip_changes_one_bit_and_a_drop_only_takes_away() -> None:
    flipped, _ = sent_through("flip@3")
    assert [sum((a ^ b).bit_count() for a, b in zip(x, y, strict=True)) for x, y in zip(flipped, CHUNKS, strict=True)] == [
        int(i == 2) for i in range(len(CHUNKS))
    ]
    dropped, _ = sent_through("drop@3")
    assert len(b"".join(CHUNKS)) - 45 <= len(b"".join(dropped)) < len(b"".join(CHUNKS))


def test_a_delay_stays_within_its_limit() -> None:
    line = FaultyLine([parse_fault("delay:1")], random.Random(2))
    line.feed(b"x", 100.0)
    due_s = line.next_due_s()
    assert due_s is not None
    assert 100.0 <= due_s <= 100.0 + LONGEST_DELAY_S


def test_a_cut_line_loses_what_is_under_way_and_mends_by_itself() -> None:
    line = FaultyLine([parse_fault("delay:1")], random.Random(2))
    line.feed(b"under way", 0.0)
    line.cut(0.0)
    line.feed(b"into the dark", CUT_S - 0.1)
    assert line.take(CUT_S) == []
    line.feed(b"back", CUT_S + 0.1)
    assert line.take(CUT_S + 1.0) == [b"back"]


def test_a_line_that_nobody_empties_is_bounded() -> None:
    line = FaultyLine([parse_fault("delay:1")], random.Random(2))
    for _ in range(2000):
        line.feed(b"x", 0.0)
    assert line.struck["overflow"] > 1000
    assert len(line.take(10.0)) < 1000


def test_device_faults_strike_at_their_chance_only() -> None:
    faults = DeviceFaults((parse_fault("misread@3"), parse_fault("jam@1")), random.Random(0))
    struck = [faults.struck("misread", "double-feed") for _ in range(5)]
    assert [index for index, names in enumerate(struck, 1) if "misread" in names] == [3]
    assert faults.struck("jam") == {"jam"}


@pytest.mark.parametrize("text", ["", "flop", "flip:2", "flip:-1", "flip:x", "flip@0", "flip@x", "flip@1:0.5", "flip:nan"])
def test_a_bad_order_is_refused(text: str) -> None:
    with pytest.raises(FaultError):
        parse_fault(text)


def test_an_unknown_fault_names_the_nearest() -> None:
    with pytest.raises(FaultError, match="'misread'"):
        parse_fault("missread")


def test_every_fault_has_its_line_of_help() -> None:
    text = help_text()
    assert len(text.splitlines()) == len(FAULTS)
    assert all(fault.name in text and fault.help in text for fault in FAULTS)
