"""Appends to a journal until it is killed, telling each acknowledged number on standard output first thing after it."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from controller.journal.clock import SystemClock
from controller.journal.entry import EntryDraft
from controller.journal.journal import open_journal
from controller.journal.store import JournalOptions


async def main(path: Path) -> None:
    tables = [f"T{n}" for n in range(5)]
    journal = open_journal(
        path,
        tables=tables,
        seal_key=bytes(range(32)),
        signing_key=Ed25519PrivateKey.from_private_bytes(bytes(range(1, 33))),
        clock=SystemClock(),
        options=JournalOptions(checkpoint_entries=20, ballast_bytes=4096),
    )

    async def write(table: str) -> None:
        for at in range(1_000_000):
            body = b'{"act":{"card":{"sealed":0},"pad":"' + b"x" * 300 + b'"}}'
            number = await journal.append(EntryDraft(table, 1, at // 7, "card", body, b"\x19", boundary=at % 50 == 0))
            os.write(1, b"%d\n" % number)

    os.write(1, b"0\n")
    await asyncio.gather(*(write(table) for table in tables))


asyncio.run(main(Path(sys.argv[1])))
