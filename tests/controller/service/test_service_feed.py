"""The ring of public outcomes: in order, bounded, and honest about what it no longer has."""

from __future__ import annotations

import asyncio

import pytest

from controller.service.errors import RequestError
from controller.service.feed import PAGE_ENTRIES, Feed, FeedEntry
from controller.table.outcome import Outcome


def entry(number: int) -> FeedEntry:
    return FeedEntry(number, "card", "device:shoe", 0, Outcome(act="card", state="dealing", gate="open"))


def numbers(entries: list[FeedEntry]) -> list[int]:
    return [found.entry for found in entries]


def test_entries_come_in_order_and_gaps_of_other_tables_do_not_matter() -> None:
    feed = Feed()
    for number in (3, 4, 9, 20):
        feed.append(entry(number))
    assert numbers(feed.after(0)) == [3, 4, 9, 20]
    assert numbers(feed.after(5)) == [9, 20]
    assert numbers(feed.after(9)) == [20]
    assert feed.after(20) == []
    assert feed.last == 20


def test_a_page_is_bounded() -> None:
    feed = Feed()
    for number in range(1, PAGE_ENTRIES + 10):
        feed.append(entry(number))
    page = numbers(feed.after(0))
    assert page == list(range(1, PAGE_ENTRIES + 1))
    assert numbers(feed.after(page[-1]))[0] == PAGE_ENTRIES + 1


def test_what_fell_out_of_the_ring_is_said_to_be_gone() -> None:
    feed = Feed(limit=3)
    for number in range(1, 6):
        feed.append(entry(number))
    assert numbers(feed.after(2)) == [3, 4, 5]
    with pytest.raises(RequestError) as caught:
        feed.after(1)
    assert (caught.value.code, caught.value.status) == ("entries-gone", 410)


def test_entries_before_a_restart_are_said_to_be_gone() -> None:
    feed = Feed()
    feed.begin_after(41)
    assert feed.last == 41
    assert feed.after(41) == []
    with pytest.raises(RequestError):
        feed.after(40)


async def test_followers_wait_for_the_next_entry() -> None:
    feed = Feed()
    waiting = [asyncio.create_task(feed.wait_after(0, 10)) for _ in range(3)]
    await asyncio.sleep(0)
    feed.append(entry(1))
    assert [numbers(await found) for found in waiting] == [[1], [1], [1]]
    assert await feed.wait_after(1, 0) == []
