"""What is appended is there: numbers, order, durability before the answer, groups, reading back, recovery's starting point."""

from __future__ import annotations

import asyncio

import pytest

from controller.journal.entry import EntryDraft
from controller.journal.errors import EntryRefusedError, JournalClosedError, JournalOverloadedError
from controller.journal.reader import open_reader


def test_numbers_count_from_one_over_all_tables(shop):
    journal = shop.open()
    numbers = [journal.append_now(shop.draft(at, table)) for at in range(5) for table in ("T1", "T2")]
    assert numbers == list(range(1, 11))
    assert [entry.number for entry in journal.read_entries("T2")] == [2, 4, 6, 8, 10]
    assert [entry.number for entry in journal.read_entries(None, after=7)] == [8, 9, 10]


def test_an_entry_reads_back_as_it_was_offered(shop):
    journal = shop.open()
    draft = EntryDraft("T1", 3, 7, "card", '{"é":[{"sealed": 1},{"sealed":0}]}'.encode(), b"\x19\x2d", True, 123, 456)
    journal.append_now(draft)
    (entry,) = journal.read_entries("T1")
    assert (entry.shoe, entry.round, entry.kind, entry.boundary) == (3, 7, "card", True)
    assert (entry.wall_ms, entry.mono_ns, entry.body) == (123, 456, draft.body)
    opened = journal.open_entry(entry)
    assert opened.cards == b"\x19\x2d"
    assert opened.body_shown() == '{"é":["Kd","9c"]}'.encode()


@pytest.mark.requirement("EQ-86")
def test_the_host_stamps_both_clocks(shop):
    journal = shop.open()
    shop.clock.wall, shop.clock.mono = 5_000, 77
    journal.append_now(shop.draft(0))
    (entry,) = journal.read_entries("T1")
    assert (entry.wall_ms, entry.mono_ns) == (5_001, 77)


async def test_fifty_writers_share_commits_and_keep_their_order(shop):
    tables = [f"T{n}" for n in range(50)]
    journal = shop.open(tables)
    numbers: dict[str, list[int]] = {table: [] for table in tables}

    async def write(table: str) -> None:
        for at in range(20):
            numbers[table].append(await journal.append(shop.draft(at, table, cards=b"\x19")))

    await asyncio.gather(*(write(table) for table in tables))
    assert sorted(n for found in numbers.values() for n in found) == list(range(1, 1001))
    assert all(found == sorted(found) for found in numbers.values())
    assert journal.stats.commits <= 200, "fifty writers wrote nearly one by one"
    assert journal.stats.largest_batch >= 40
    for table in tables:
        assert [e.number for e in journal.read_entries(table)] == numbers[table]
    await journal.aclose()


async def test_the_answer_comes_after_the_entry_is_on_the_disk(shop):
    journal = shop.open()
    for at in range(40):  # both ways of committing: the thread's, and the loop's own once the disk is known to be quick
        number = await journal.append(shop.draft(at))
        with open_reader(shop.path) as reader:
            assert reader.last_number == number
    await journal.aclose()


async def test_calls_in_one_turn_are_numbered_in_their_order(shop):
    journal = shop.open()
    futures = [journal.append(shop.draft(at)) for at in range(300)]
    assert await asyncio.gather(*futures) == list(range(1, 301))
    bodies = [entry.body for entry in journal.read_entries("T1")]
    assert bodies == [shop.draft(at).body for at in range(300)]
    await journal.aclose()


async def test_a_cancelled_wait_does_not_take_the_entry_back(shop):
    journal = shop.open()
    future = journal.append(shop.draft(0))
    future.cancel()
    assert await journal.append(shop.draft(1)) == 2
    assert journal.head.number == 2
    await journal.aclose()


async def test_a_waiting_room_that_is_full_refuses(shop):
    journal = shop.open(pending_max=3)
    futures = [journal.append(shop.draft(at)) for at in range(3)]
    with pytest.raises(JournalOverloadedError) as caught:
        journal.append(shop.draft(3))
    assert "3 entries wait" in caught.value.what
    assert await asyncio.gather(*futures) == [1, 2, 3]
    assert await journal.append(shop.draft(3)) == 4
    await journal.aclose()


async def test_a_loop_that_ended_loses_only_the_answer(shop):
    journal = shop.open()

    async def offer() -> None:
        journal.append(shop.draft(0))
        await asyncio.sleep(0)

    await asyncio.to_thread(asyncio.run, offer())
    assert await journal.append(shop.draft(1)) == 2
    await journal.aclose()


def test_a_closed_journal_says_so(shop):
    journal = shop.open()
    journal.close()
    journal.close()
    with pytest.raises(JournalClosedError):
        journal.append_now(shop.draft(0))
    with pytest.raises(JournalClosedError):
        journal.export_head()


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"table": "T9"}, "none of this journal's"),
        ({"kind": ""}, "plain ASCII"),
        ({"kind": 'x","y":"'}, "plain ASCII"),
        ({"round": -1}, "out of range"),
        ({"shoe": 2**60}, "out of range"),
        ({"body": b"[]"}, "not a JSON object"),
        ({"body": b"{\0}"}, "not a JSON object"),
        ({"body": b'{"\xff":1}'}, "not UTF-8"),
        ({"body": b'{"a":"' + bytes([97]) * (1 << 20) + b'"}'}, "too many"),
        ({"cards": b"\x19"}, "does not place each"),
        ({"body": b'{"a":{"sealed":0}}'}, "does not place each"),
        ({"body": b'{"a":{"sealed":1}}', "cards": b"\x19"}, "does not place each"),
    ],
)
def test_an_entry_that_must_not_be_written_is_refused(shop, change, word):
    journal = shop.open()
    draft = {"table": "T1", "shoe": 1, "round": 1, "kind": "card", "body": b"{}"} | change
    with pytest.raises(EntryRefusedError, match=word):
        journal.append_now(EntryDraft(**draft))
    assert journal.append_now(shop.draft(0)) == 1


@pytest.mark.requirement("EQ-96")
def test_recovery_folds_from_the_last_boundary(shop):
    journal = shop.open(checkpoint_entries=7)
    assert (journal.fold_start("T1"), journal.fold_entries("T1"), journal.last_entries("T1", 3)) == (0, [], [])
    for at in range(30):
        journal.append_now(shop.draft(at, "T1", boundary=at in (0, 17)))
        journal.append_now(shop.draft(at, "T2", boundary=False))
    assert journal.fold_start("T1") == 35
    assert [entry.number for entry in journal.fold_entries("T1")] == list(range(35, 60, 2))
    assert journal.fold_start("T2") == 2, "without a boundary the fold begins with the first entry"
    assert [entry.number for entry in journal.last_entries("T2", 3)] == [56, 58, 60]


@pytest.mark.parametrize("verify", ["all", "tail"])
def test_a_reopened_journal_goes_on(shop, verify):
    shop.write(25, checkpoint_entries=10)
    journal = shop.open(verify=verify)
    assert journal.append_now(shop.draft(13, "T1")) == 26
    (entry,) = journal.last_entries("T1", 1)
    assert (entry.number, entry.back) == (26, 25)
    journal.close()
    again = shop.open(verify=verify)
    assert again.head.number == 26


def test_a_round_is_found_wherever_it_lies(shop):
    journal = shop.open(checkpoint_entries=13)
    for at in range(45):
        journal.append_now(shop.draft(at, "T1"))
        journal.append_now(shop.draft(at, "T2", round=at // 5))
    with open_reader(shop.path) as reader:
        for number in range(4):
            found = [entry.number for entry in reader.round_entries("T1", number)]
            assert found == list(range(number * 20 + 1, number * 20 + 21, 2))
        assert len(reader.round_entries("T1", 4)) == 5, "the round that is being played"
        assert reader.round_entries("T1", 5) == []


def test_a_round_number_that_comes_again_in_another_shoe_is_told_apart(shop):
    journal = shop.open()
    for shoe in (1, 2):
        for at in range(20):
            journal.append_now(shop.draft(at, "T1", shoe=shoe, round=at // 10 + 1))
    with open_reader(shop.path) as reader:
        assert [e.number for e in reader.round_entries("T1", 1, shoe=2)] == list(range(21, 31))
        assert len(reader.round_entries("T1", 1)) == 20
