"""Journals of every schema version that was ever released, kept as files: each opens, verifies, reads and goes on.

`schema-1.journal` was made by `Workshop.write(50, checkpoint_entries=20)` of this folder's conftest. It is never made again.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from controller.journal.reader import open_reader
from controller.journal.schema import SCHEMA_VERSION
from controller.journal.verify import verify_journal

FIXTURES = Path(__file__).parent / "fixtures"


def test_there_is_a_file_for_every_version():
    assert {file.name for file in FIXTURES.iterdir()} == {f"schema-{v}.journal" for v in range(1, SCHEMA_VERSION + 1)}


@pytest.mark.requirement("EQ-89")
@pytest.mark.parametrize("version", range(1, SCHEMA_VERSION + 1))
def test_an_old_journal_opens_twice_and_goes_on(shop, version):
    shutil.copy(FIXTURES / f"schema-{version}.journal", shop.path)
    report = verify_journal(shop.path, seal_key=shop.keys.seal_key, public_key_hex=shop.keys.public_key_hex)
    assert report.ok, report.sentence
    assert (report.entries, report.signed_to, report.notices) == (50, 50, ())
    for number in (51, 52):
        journal = shop.open()
        assert journal.append_now(shop.draft(25)) == number
        journal.close()
    report = verify_journal(shop.path, seal_key=shop.keys.seal_key)
    assert (report.ok, report.entries) == (True, 52)


def test_what_schema_1_holds(shop):
    shutil.copy(FIXTURES / "schema-1.journal", shop.path)
    with open_reader(shop.path, seal_key=shop.keys.seal_key) as reader:
        entries = list(reader.read_entries(None))
        opened = reader.open_entry(entries[4])
    assert reader.header.software == "shoed 0.1.0"
    assert [entry.number for entry in entries] == list(range(1, 51))
    assert opened.cards == b"\x19"
    assert opened.body_shown() == b'{"act":{"at":2,"hidden":["9c"]},"facts":[{"fact":"CardDealt","seat":1}]}'
    assert entries[-1].hash.hex() == LAST_HASH


LAST_HASH = "b41e5b0789636bf44dd2943620b48ec5b77ca4c30c9982ec597c6f75cd327c45"
