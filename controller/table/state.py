"""The state of one table: the fold of its facts and nothing else.

Members are never changed in place; `controller.table.apply` replaces them on a copy. `Deck` is what is known of the cards now in use,
`Round` what happened in the present round. Nothing here knows a device's protocol, a file or a clock.
"""

from __future__ import annotations

import msgspec

from controller.dealing.round import Round
from controller.dealing.steps import StateKind
from controller.decks import DeckSpec
from controller.integrity.census import ShoeCensus
from controller.integrity.ledger import Ledger
from controller.integrity.order import OrderWatch


class Alarm(msgspec.Struct, frozen=True):
    """An alarm that is open. `holds`: the table waits for it; `ways`: the words of `resolve` that settle it."""

    code: str
    where: str = ""
    detail: str = ""
    holds: bool = True
    ways: tuple[str, ...] = ()


class Deck(msgspec.Struct, frozen=True, gc=False):
    """The cards in use. `shuffled` only after an uninterrupted random cycle with the right count since they were loaded."""

    ledger: Ledger
    census: ShoeCensus
    watch: OrderWatch
    loaded: bool = False
    shuffled: bool = False
    fresh: bool = True
    """No card was dealt since the shuffle: the burn that opens a shoe is still to come."""
    mode: str = ""
    back: str | None = None
    decks: int = 1
    short: tuple[int, ...] = ()
    """Codes of cards taken out and not replaced."""
    cut_seen: bool = False
    rounds_left: int = 0
    """Rounds that may still begin after this one, once the cutting card came out."""
    finding: str = ""
    """What the order tests found and no alarm has told yet; empty when nothing."""
    empty: bool = False
    evidence: str = "unknown"
    partial: bool = False
    """Taken up in the middle: what left it before is not known."""

    @property
    def spec(self) -> DeckSpec:
        """What the set consists of."""
        return self.watch.reference.spec


class TableState(msgspec.Struct, gc=False):
    """See the module's text. Like its members it holds values alone and no cycles."""

    table: str
    deck: Deck
    phase: str = StateKind.CLOSED.value
    resume_to: str | None = None
    shoe: int = 0
    """Running number of the shoe: grows with every load and every shuffle of a one-deck game."""
    round_number: int = 0
    round: Round | None = None
    device_seq: dict[str, int] = {}
    """Last event number stored, by device."""
    device_modes: dict[str, str] = {}
    """The mode that a shuffler's cycle last began in, by device."""
    devices_down: frozenset[str] = frozenset()
    alarms: tuple[Alarm, ...] = ()
    rounds_since_count: int = 0
    button: int | None = None
    last_back: str | None = None
    """Back colour of the deck that was dealt last, where two decks are used in turn."""
    spare: int | None = None
    """Cards of the other one of two decks in turn, when it is shuffled and waits for its round."""
    shuffler_out: int | None = None
    """Cards that the last finished cycle handed out."""
    dealer: str = ""
    dealer_is_new: bool = False
    """A dealer came to the table and has not dealt yet."""
    quarantine_why: str = ""
    rules_hash: str = ""
    beside: bool = False
    """In shadow mode: another host deals, and nothing is enforced."""
    agreed: int = 0
    """Results that the line told and that are what the cards say."""
    differed: int = 0
    """What the line told, or the other host did, and the cards do not bear out."""

    @property
    def holding(self) -> tuple[Alarm, ...]:
        """The open alarms that the table waits for."""
        return tuple([alarm for alarm in self.alarms if alarm.holds]) if self.alarms else ()

    def alarm(self, code: str) -> Alarm | None:
        """The open alarm of this code."""
        return next((alarm for alarm in self.alarms if alarm.code == code), None)


def new_deck(spec: DeckSpec, last: bytes = b"", before: OrderWatch | None = None) -> Deck:
    """Cards of this composition, not loaded yet. `last` is the order in which the previous shoe was read, `before` the watch till now."""
    return Deck(ledger=Ledger(), census=ShoeCensus.of(spec), watch=OrderWatch.start(spec, last, before), decks=spec.decks)


def new_state(spec: DeckSpec, table: str) -> TableState:
    """A table before its first fact."""
    return TableState(table=table, deck=new_deck(spec))
