"""The account of a table after a run: what really happened at the devices against what the journal says.

Two witnesses that do not know each other are compared. One is the paper: which card left the device, in which order,
what the device wrote down. The other is the journal, opened with its keys and folded. What must hold:

* the journal verifies;
* each event of each device stands in it exactly once, in the device's order, as the same kind of act;
* each card that left is accounted for by exactly one fact, and it is that very card;
* after every entry the ledger balances; at the end it has as many cards in the device as lie there;
* every verdict is the one that today's rules give for the recorded acts;
* what the API told, before and after any restart, is the outcome of just these acts, and every promise was kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

import msgspec

from controller.integrity.ledger import Place
from controller.journal.entry import OpenedEntry
from controller.journal.keys import load_keys
from controller.journal.reader import open_reader
from controller.journal.verify import verify_journal
from controller.service.engine import Engine
from controller.service.lifecycle import LIFE_KINDS
from controller.service.replay import rejudge
from controller.table import acts as a
from controller.table import facts as f
from controller.table.state import TableState
from firmware_bridge.cards import Card, Sealed, unseal
from hil.soak.play import SoakTable
from hil.soak.site import Site, SoakError
from hil.soak.witness import Told

WHY: Final = "the account of the simulated cards"
NANOSECONDS_PER_MS: Final = 1_000_000
PROBLEMS_TOLD: Final = 20
"""The first of them tell what is wrong."""
LINE_NEWS: Final = "device"
"""The kind of entry that tells a lost line, and that it is back."""
ACTS_OF_EVENTS: Final[dict[str, type[a.Act]]] = {
    "card_read": a.CardOut,
    "burn_ejected": a.CardOut,
    "card_out_of_flow": a.CardOut,
    "stack_dispensed": a.StackOut,
    "shoe_loaded": a.Load,
}
"""Events that can become one kind of act only."""


class Account(msgspec.Struct):
    """What was found in order."""

    entries: int = 0
    events: int = 0
    cards: int = 0
    stacks: int = 0


class _Books:
    """Goes through the entries of one table and collects what is wrong."""

    def __init__(self, table: SoakTable) -> None:
        self.problems: list[str] = []
        self.account = Account()
        self.seq: dict[str, int] = {}
        self.told: dict[str, list[Told]] = {"shoe": table.shoe.told, "shuffler": table.shuffler.told}
        self.engine = Engine(table.spec.id, table.procedure)
        self.state: TableState = self.engine.new_state()
        self.outcomes: dict[int, bytes] = {}
        self._pending: list[Card] = []

    def take(self, opened: OpenedEntry) -> None:
        """Check one entry and go on to the state after it."""
        number = opened.entry.number
        act, facts = self.engine.decode(opened.entry.body, opened.cards)
        self.account.entries += 1
        self._check_event(number, act, facts)
        self._check_cards(number, act, facts)
        verdict = self.engine.decide(self.state, act, opened.entry.mono_ns // NANOSECONDS_PER_MS)
        self.outcomes[number] = msgspec.json.encode(verdict.outcome)
        self.state = self.engine.fold(self.state, facts)
        imbalance = self.state.deck.ledger.balance()
        if imbalance is not None:
            self.problems.append(f"entry {number}: {imbalance.sentence}")

    def _check_event(self, number: int, act: a.AnyAct, facts: tuple[f.AnyFact, ...]) -> None:
        heard = [fact for fact in facts if isinstance(fact, f.DeviceHeard)]
        if act.origin is None or not act.origin.eseq:
            if heard:
                self.problems.append(f"entry {number}: hears a device without an event")
            return
        device, eseq = act.origin.device, act.origin.eseq
        due = self.seq.get(device, 0) + 1
        self.seq[device] = eseq
        if [(fact.device, fact.eseq) for fact in heard] != [(device, eseq)] or eseq != due:
            self.problems.append(f"entry {number}: event {eseq} of {device} where {due} was due")
            return
        if eseq > len(self.told[device]):
            self.problems.append(f"entry {number}: event {eseq} of {device}, which never happened")
            return
        self.account.events += 1
        event = self.told[device][eseq - 1]
        is_one, should_be = type(act), ACTS_OF_EVENTS.get(event.name)
        if (should_be is not None or is_one in ACTS_OF_EVENTS.values()) and is_one is not should_be:
            self.problems.append(f"entry {number}: the {event.name} {eseq} of {device} is a {_name_of(act)}")

    def _check_cards(self, number: int, act: a.AnyAct, facts: tuple[f.AnyFact, ...]) -> None:
        moved = [unseal(card, WHY) for card in _cards_of(facts)]
        match act:
            case a.CardOut():
                left = self._card_that_left(act)
                if moved != [left] or unseal(act.read, WHY) is not left:
                    self.problems.append(f"entry {number}: {left} left, the act says {unseal(act.read, WHY)}, accounted for is {moved}")
                self.account.cards += 1
            case a.StackOut():
                self._check_stack(number, act, facts)
            case _:
                if moved:
                    self.problems.append(f"entry {number}: a {_name_of(act)} moves the cards {moved}")
        self._pending += [unseal(fact.card, WHY) for fact in facts if isinstance(fact, f.StackCardRead)]
        if any(isinstance(fact, f.RoundStarted | f.RoundCompleted) for fact in facts):
            self._pending.clear()

    def _check_stack(self, number: int, act: a.StackOut, facts: tuple[f.AnyFact, ...]) -> None:
        """A stack whose cards were read one by one holds just these cards."""
        self.account.stacks += 1
        dealt = next((fact for fact in facts if isinstance(fact, f.StackDealt)), None)
        if dealt is None:
            return
        cards = [unseal(card, WHY) for card in dealt.cards]
        if cards[: len(self._pending)] != self._pending or any(card.code for card in cards[len(self._pending) :]):
            self.problems.append(f"entry {number}: the stack is {cards}, read were {self._pending}")
        self._pending.clear()

    def _card_that_left(self, act: a.CardOut) -> Card | None:
        if act.origin is None or not 0 < act.origin.eseq <= len(self.told[act.origin.device]):
            return None
        return self.told[act.origin.device][act.origin.eseq - 1].card


def _name_of(act: a.AnyAct) -> str:
    """Return an act's name for a line of the account."""
    return type(act).__name__


def verify_site(site: Site, tables: Iterable[SoakTable]) -> Account:
    """Check the account of every table of a site that has settled.

    Raises:
        SoakError: with the first things that are wrong.
    """
    keys = load_keys(site.key_file)
    report = verify_journal(site.journal, seal_key=keys.seal_key, public_key_hex=keys.public_key_hex)
    if not report.ok:
        raise SoakError("soak-journal", f"Seed {site.seed}: {report.sentence}", "Keep the folder and look at the record that it names.")
    total = Account()
    with open_reader(site.journal, seal_key=keys.seal_key) as reader:
        for table in tables:
            entries = [reader.open_entry(entry) for entry in reader.read_entries(table.spec.id)]
            found, problems = _account_of(table, entries)
            if problems:
                listed = "\n".join(problems[:PROBLEMS_TOLD])
                where = f"Seed {site.seed}, table {table.spec.id} ({table.spec.game}, {table.spec.method}, sealed {table.spec.sealed})"
                raise SoakError("soak-account", f"{where}: {len(problems)} things are wrong:\n{listed}\n", "Run it again with this seed.")
            for name in found.__struct_fields__:
                setattr(total, name, getattr(total, name) + getattr(found, name))
    return total


def _account_of(table: SoakTable, entries: list[OpenedEntry]) -> tuple[Account, list[str]]:
    books = _Books(table)
    acts = [opened for opened in entries if opened.entry.kind not in LIFE_KINDS]
    for opened in acts:
        books.take(opened)
    problems = books.problems
    for name, device in (("shoe", table.shoe), ("shuffler", table.shuffler)):
        if books.seq.get(name, 0) != device.journal.newest:
            problems.append(f"the journal ends with event {books.seq.get(name, 0)} of the {name}, which has told {device.journal.newest}")
    if books.account.cards != table.shoe.cards_told:
        problems.append(f"{table.shoe.cards_told} cards have left, {books.account.cards} are accounted for")
    problems += _against_the_paper(table, books.state)
    problems += rejudge(entries)
    problems += _against_the_api(table, books.outcomes, {opened.entry.number: opened.entry.kind for opened in acts})
    return books.account, problems


def _against_the_paper(table: SoakTable, state: TableState) -> Iterator[str]:
    """In a round the ledger's device holds what the shoe holds, until the stub has gone to the rack."""
    round_ = state.round
    if round_ is not None and not round_.stub_racked and not round_.collected and state.deck.shuffled:
        inside, booked = len(table.shoe.machine.feed), state.deck.ledger.at(Place.DEVICE)
        if inside != booked:
            yield f"{inside} cards lie in the shoe, the ledger has {booked}"


def _against_the_api(table: SoakTable, outcomes: dict[int, bytes], kinds: dict[int, str]) -> Iterator[str]:
    heard = {entry.entry: entry for entry in table.heard}
    for number in outcomes.keys() ^ heard.keys():
        if number > table.heard[-1].entry and kinds.get(number) == LINE_NEWS:
            continue  # a bad line was lost once more when the people had gone home
        yield f"entry {number} stands {'in the journal only' if number in outcomes else 'in no journal, but was told'}"
    for number in outcomes.keys() & heard.keys():
        if msgspec.json.encode(heard[number].outcome) != outcomes[number]:
            told, judged = heard[number].outcome, msgspec.json.decode(outcomes[number])
            yield f"entry {number} was told as {msgspec.json.encode(told).decode()}, judged as {judged}"
    for number, move in table.promised.items():
        if kinds.get(number) != move.key:
            yield f"the {move.key} that was answered with entry {number} is a {kinds.get(number)}"


def _cards_of(facts: tuple[f.AnyFact, ...]) -> Iterator[Sealed]:
    for fact in facts:
        if isinstance(fact, f.CardDealt | f.CardPutAside | f.CardDiscarded | f.StackCardRead | f.StrayCard):
            yield fact.card
