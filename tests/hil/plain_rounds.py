"""Rounds that were played at a real daemon with a shoe of a foreign protocol, and how they are judged.

Two witnesses are compared: the paper that left the simulated shoe, and the journal. Every card stands in it exactly once.
"""

from __future__ import annotations

from pathlib import Path

from controller.dealing.procedure import build_procedure
from controller.games import find_game
from controller.journal.keys import load_keys
from controller.journal.reader import open_reader
from controller.journal.verify import verify_journal
from controller.service.engine import Engine
from controller.service.lifecycle import LIFE_KINDS
from controller.table import acts as a
from controller.table import facts as f
from controller.table.enforcement import Sheet
from firmware_bridge.cards import UNREADABLE, unseal
from hil.endtoend.plain_table import PlainTable
from hil.simulated.plain import PlainDevice

GAME, TABLE = "minibaccarat", "T1"
PROCEDURE = build_procedure(find_game(GAME), "manual-shoe", {})

MOVES = f.CardDealt | f.CardPutAside | f.CardDiscarded | f.StackCardRead | f.StrayCard
"""The facts that account for a card that has left."""
WHY = "the test compares with the paper"


class Played:
    """What a session left behind."""

    def __init__(self, folder: Path, table: PlainTable, shoe: PlainDevice) -> None:
        self.folder, self.table, self.shoe = folder, table, shoe
        self.sheets: list[Sheet | None] = []
        """Of each opening, as the journal has it."""

    def verify(self, *, misread: bool) -> None:
        """Compare the journal with the paper."""
        keys = load_keys(self.folder / "journal.keys")
        report = verify_journal(self.folder / "journal.db", seal_key=keys.seal_key, public_key_hex=keys.public_key_hex)
        assert report.ok, report.sentence
        engine = Engine(TABLE, PROCEDURE)
        state, told = engine.new_state(), []
        with open_reader(self.folder / "journal.db", seal_key=keys.seal_key) as reader:
            for opened in map(reader.open_entry, reader.read_entries(TABLE)):
                if opened.entry.kind in LIFE_KINDS:
                    continue
                act, facts = engine.decode(opened.entry.body, opened.cards)
                state = engine.fold(state, facts)
                assert state.deck.ledger.balance() is None
                if isinstance(act, a.Open):
                    self.sheets.append(act.sheet)
                moved = [unseal(fact.card, WHY) for fact in facts if isinstance(fact, MOVES)]
                assert len(moved) == isinstance(act, a.CardOut), f"entry {opened.entry.number} moves {len(moved)} cards"
                told += moved
        assert len(told) == len(self.table.left)
        unread = set(map(id, self.shoe.unread))
        for card, read in zip(self.table.left, told, strict=True):
            assert read is (UNREADABLE if id(card) in unread else card.face)
        assert bool(unread) is misread
        assert state.deck.ledger.device == len(self.shoe.stack)
