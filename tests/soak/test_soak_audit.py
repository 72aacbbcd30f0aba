"""The account of a soak finds what is wrong: each kind of thing that must hold is broken here once, on paper."""

from __future__ import annotations

import dataclasses
import random
import sqlite3
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from firmware_bridge.cards import FRENCH_CARDS
from hil.people.moves import Move
from hil.soak.audit import verify_site
from hil.soak.campaign import lineup
from hil.soak.play import SoakTable
from hil.soak.site import Site, SoakError
from hil.soak.witness import Told

SEED = 8


def another_card_left(table: SoakTable) -> None:
    at = next(index for index, told in enumerate(table.shoe.told) if told.card is not None)
    left = table.shoe.told[at]
    other = next(card for card in FRENCH_CARDS if card is not left.card)
    table.shoe.told[at] = dataclasses.replace(left, card=other)


def a_card_left_that_nobody_stored(table: SoakTable) -> None:
    newest = len(table.shoe.told)
    table.shoe.told.append(Told(newest + 1, "card_read", FRENCH_CARDS[0]))


def a_card_was_some_other_event(table: SoakTable) -> None:
    at = next(index for index, told in enumerate(table.shoe.told) if told.card is not None)
    table.shoe.told[at] = dataclasses.replace(table.shoe.told[at], name="shoe_loaded")


def an_entry_was_told_to_nobody(table: SoakTable) -> None:
    del table.heard[len(table.heard) // 2]


def an_entry_was_told_otherwise(table: SoakTable) -> None:
    entry = table.heard[-1]
    table.heard[-1] = msgspec.structs.replace(entry, outcome=msgspec.structs.replace(entry.outcome, state="dealing"))


def an_answer_was_not_kept(table: SoakTable) -> None:
    number = next(iter(table.promised))
    table.promised[number] = Move("sign_on", {"person": "D9"})


@pytest.mark.requirement("EQ-96")
async def test_the_account_is_good_and_each_thing_that_is_broken_in_it_is_found(tmp_path: Path) -> None:
    site = Site(tmp_path / "s", lineup(SEED)[:1], SEED)
    await site.open()
    table = SoakTable(site, site.tables[0], random.Random(SEED))
    try:
        await site.start()
        await table.play(2)
        await table.settle()
        table.close()
        await table.shuffler.unplug()
        await table.shuffler.plug_in()
        await table.shuffler.host_running()
        await site.stop()
        assert verify_site(site, [table]).cards == table.shoe.cards_told
        breaks: dict[Callable[[SoakTable], None], str] = {
            another_card_left: "accounted for is",
            a_card_left_that_nobody_stored: "have left",
            a_card_was_some_other_event: "is a CardOut",
            an_entry_was_told_to_nobody: "in the journal only",
            an_entry_was_told_otherwise: "was told as",
            an_answer_was_not_kept: "was answered with",
        }
        for break_it, words in breaks.items():
            told, heard, promised = list(table.shoe.told), list(table.heard), dict(table.promised)
            break_it(table)
            with pytest.raises(SoakError, match=words):
                verify_site(site, [table])
            table.shoe.told[:], table.heard[:], table.promised = told, heard, promised
        with sqlite3.connect(site.journal) as records:
            records.execute("UPDATE entries SET record = record || ' ' WHERE number = 9")
        records.close()
        with pytest.raises(SoakError, match="record 9"):
            verify_site(site, [table])
    finally:
        await site.close()
