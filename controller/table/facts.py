"""What became of an act: the facts that one table's state is the fold of.

A fact is past tense and frozen. It holds all that applying it needs, so that an old record folds to the same state whatever today's
rules say. Cards are `Sealed` in facts; `shown` repeats a card in clear only where the procedure has shown it.

`controller.table.apply` folds facts into the state, `controller.table.decide` is the only place that makes them.
"""

from __future__ import annotations

import msgspec

from controller.dealing.rules import Rule
from firmware_bridge.cards import Card, Sealed


class Fact(msgspec.Struct, frozen=True, kw_only=True, tag_field="fact", omit_defaults=True):
    """Base of all facts."""


class TableOpened(Fact, frozen=True, kw_only=True, tag=True):
    rules_hash: str
    """Hash of the procedure in force: steps, settings, irregularities, citations."""


class TableClosed(Fact, frozen=True, kw_only=True, tag=True):
    pass


class DeviceHeard(Fact, frozen=True, kw_only=True, tag=True):
    """The device's event number that this record accounts for."""

    device: str
    eseq: int


class DeviceModeTold(Fact, frozen=True, kw_only=True, tag=True):
    device: str
    mode: str


class CarriedAlarm(msgspec.Struct, frozen=True):
    """An open alarm inside `StateCarried`."""

    code: str
    where: str
    detail: str
    holds: bool
    ways: tuple[str, ...]


class StateCarried(Fact, frozen=True, kw_only=True, tag=True):
    """All that earlier records leave behind when a round begins with a freshly shuffled deck: a fold may begin with this fact."""

    phase: str
    shoe: int
    round_number: int
    rounds_since_count: int
    rules_hash: str
    cards: int
    decks: int
    mode: str
    evidence: str
    back: str | None
    short: tuple[int, ...]
    last_order: tuple[Sealed, ...]
    last_back: str | None
    button: int | None
    shuffler_out: int | None
    dealer: str
    device_seq: dict[str, int]
    device_modes: dict[str, str]
    devices_down: tuple[str, ...]
    alarms: tuple[CarriedAlarm, ...]
    spare: int | None = None


class DeckLoaded(Fact, frozen=True, kw_only=True, tag=True):
    shoe: int
    decks: int
    cards: int | None
    back: str | None
    evidence: str


class DeckShuffled(Fact, frozen=True, kw_only=True, tag=True):
    mode: str
    counted: int | None
    evidence: str


class SpareShuffled(Fact, frozen=True, kw_only=True, tag=True):
    """Of two decks in turn, the one that is not dealt was shuffled: so many cards wait for their round."""

    counted: int


class SpareUnshuffled(Fact, frozen=True, kw_only=True, tag=True):
    why: str


class DeckUnshuffled(Fact, frozen=True, kw_only=True, tag=True):
    why: str


class DeckQuarantined(Fact, frozen=True, kw_only=True, tag=True):
    why: str


class DeckCleared(Fact, frozen=True, kw_only=True, tag=True):
    by: str


class CardRemoved(Fact, frozen=True, kw_only=True, tag=True):
    card: Card
    reason: str


class CardReplaced(Fact, frozen=True, kw_only=True, tag=True):
    card: Card
    reason: str


class RoundStarted(Fact, frozen=True, kw_only=True, tag=True):
    round: int
    button: int | None = None
    """Where the button stays, because the last round was void; else it is still to be moved or placed."""


class Wagered(Fact, frozen=True, kw_only=True, tag=True):
    seat: int
    amounts: dict[str, int | None]


class BetsClosed(Fact, frozen=True, kw_only=True, tag=True):
    seats: tuple[int, ...]


class StartFixed(Fact, frozen=True, kw_only=True, tag=True):
    position: str
    """`seat 3` or `dealer`: where the first card goes, or the button's seat for button games."""
    button: int | None = None


class StepEntered(Fact, frozen=True, kw_only=True, tag=True):
    """The machine moved to a step. `plan` holds the places of the cards it expects, `turns` the seats that may act, in order."""

    phase: str
    plan: tuple[tuple[str, str], ...] = ()
    """(place, face) per expected card or stack."""
    turns: tuple[str, ...] = ()


class CardDealt(Fact, frozen=True, kw_only=True, tag=True):
    """A card went to the next planned place."""

    to: str
    face: str
    card: Sealed
    evidence: str
    shown: Card | None = None
    rule: Rule | None = None


class CardsReordered(Fact, frozen=True, kw_only=True, tag=True):
    """A card set aside was placed as the next card."""

    to: str
    face: str
    card: Sealed
    evidence: str
    shown: Card | None = None


class CardPutAside(Fact, frozen=True, kw_only=True, tag=True):
    """A card that nobody asked for, or that cannot be used, until its remedy places it."""

    card: Sealed
    evidence: str
    as_next: bool
    shown: Card | None = None


class StrayCard(Fact, frozen=True, kw_only=True, tag=True):
    """A card that left the device while no round was in progress; it lies aside until the next shuffle."""

    card: Sealed
    evidence: str


class CardDiscarded(Fact, frozen=True, kw_only=True, tag=True):
    """A card from the device straight to the discard rack (face up in the shoe)."""

    card: Sealed
    evidence: str
    shown: Card | None = None


class StackCardRead(Fact, frozen=True, kw_only=True, tag=True):
    """One card of a stack that is not complete yet."""

    card: Sealed
    evidence: str


class StackDealt(Fact, frozen=True, kw_only=True, tag=True):
    to: str
    cards: tuple[Sealed, ...]
    faces: tuple[str, ...]
    evidence: str
    shown: tuple[Card | None, ...] = ()


class CutCardSeen(Fact, frozen=True, kw_only=True, tag=True):
    pass


class Decided(Fact, frozen=True, kw_only=True, tag=True):
    seat: int
    choose: str
    hand: int = 1
    amount: int | None = None
    wager: str | None = None
    status: str = ""
    """The seat's new standing: "", `folded`, `surrendered`, `split`, `natural`."""
    forfeits: tuple[str, ...] = ()
    """Wagers lost by this choice."""
    forfeits_to: str = "house"
    to_rack: int = 0
    """Cards of the seat that go to the discard rack now."""
    discard: tuple[Sealed, ...] = ()
    keep: tuple[Sealed, ...] = ()
    done: bool = True
    """The seat has no further turn in this step."""


class HandSet(Fact, frozen=True, kw_only=True, tag=True):
    """A hand was set. Groups hold the cards where they were named: (`keep`, cards), (`high`, cards), (`low`, cards)."""

    place: str
    groups: tuple[tuple[str, tuple[Sealed, ...]], ...]
    to_rack: int = 0
    wrong: str = ""
    """Why the set is wrong, in words; empty when it is right or cannot be judged yet."""


class DiscardsCollected(Fact, frozen=True, kw_only=True, tag=True):
    cards: int


class Exposed(Fact, frozen=True, kw_only=True, tag=True):
    place: str
    cards: tuple[Card, ...]
    groups: tuple[tuple[str, tuple[Card, ...]], ...] = ()
    done: bool = True
    natural: bool = False
    """The dealer's cards win at once, as the house has defined it."""


class TurnTaken(Fact, frozen=True, kw_only=True, tag=True):
    place: str


class SetFoundWrong(Fact, frozen=True, kw_only=True, tag=True):
    """An exposed hand was set against the rules; it loses."""

    seat: int
    words: str
    rule: Rule


class HandJudged(Fact, frozen=True, kw_only=True, tag=True):
    """The result of a hand, visible from its `declare` or from `collect`."""

    key: str
    """`3` or `3 hand 2`."""
    results: dict[str, str]
    pays: dict[str, int | None]
    hand: str = ""
    commission: int = 0
    rule: Rule | None = None


class Declared(Fact, frozen=True, kw_only=True, tag=True):
    key: str
    result: str
    agrees: bool


class StubCounted(Fact, frozen=True, kw_only=True, tag=True):
    counted: int
    expected: int


class StubExplained(Fact, frozen=True, kw_only=True, tag=True):
    """A misdealt hand was found that explains a wrong stub."""

    where: str


class StubRacked(Fact, frozen=True, kw_only=True, tag=True):
    cards: int


class IdleHandsRacked(Fact, frozen=True, kw_only=True, tag=True):
    """Cards dealt to positions without a wager, collected unexposed."""

    places: tuple[str, ...]
    cards: int


class Irregular(Fact, frozen=True, kw_only=True, tag=True):
    kind: str
    remedy: str
    rule: Rule
    where: str = ""


class HandDead(Fact, frozen=True, kw_only=True, tag=True):
    seat: int
    rule: Rule


class RoundVoided(Fact, frozen=True, kw_only=True, tag=True):
    remedy: str
    rule: Rule
    why: str
    side_bets_stand: bool = False
    stand: tuple[str, ...] = ()
    """Side wagers that are settled all the same."""


class AlarmRaised(Fact, frozen=True, kw_only=True, tag=True):
    code: str
    where: str = ""
    detail: str = ""
    holds: bool = True
    """True: the table waits until the alarm is settled."""
    ways: tuple[str, ...] = ()
    """The words of `resolve` that settle it."""


class AlarmSettled(Fact, frozen=True, kw_only=True, tag=True):
    """Settles the alarms of this code, at `where` alone when that is named."""

    code: str
    where: str | None = None
    by: str
    choose: str


class Suspended(Fact, frozen=True, kw_only=True, tag=True):
    from_phase: str


class Resumed(Fact, frozen=True, kw_only=True, tag=True):
    to_phase: str


class AsideReleased(Fact, frozen=True, kw_only=True, tag=True):
    """A supervisor lets the cards set aside be used as the next cards."""


class EvidenceConfirmed(Fact, frozen=True, kw_only=True, tag=True):
    """A rescan named or confirmed cards of the round: (place, index, card)."""

    cards: tuple[tuple[str, int, Sealed], ...]
    evidence: str


class RoundCollected(Fact, frozen=True, kw_only=True, tag=True):
    cards: int


class RoundCompleted(Fact, frozen=True, kw_only=True, tag=True):
    round: int


class ShoeEmptied(Fact, frozen=True, kw_only=True, tag=True):
    """The device gave its last card; the round goes on with what is on the table."""


class ShoeEnded(Fact, frozen=True, kw_only=True, tag=True):
    why: str
    missing: tuple[Card, ...] = ()


class DealerChanged(Fact, frozen=True, kw_only=True, tag=True):
    person: str
    on: bool


AnyFact = (
    TableOpened | TableClosed | DeviceHeard | DeviceModeTold | StateCarried | DeckLoaded | DeckShuffled | SpareShuffled | SpareUnshuffled
    | DeckUnshuffled | DeckQuarantined | DeckCleared | CardRemoved | CardReplaced | RoundStarted | Wagered | BetsClosed | StartFixed
    | StepEntered | CardDealt | CardsReordered | CardPutAside | StrayCard | CardDiscarded | StackCardRead | StackDealt | CutCardSeen
    | Decided | HandSet | DiscardsCollected | Exposed | TurnTaken | SetFoundWrong | HandJudged | Declared | StubCounted | StubExplained
    | StubRacked | IdleHandsRacked | Irregular | HandDead | RoundVoided | AlarmRaised | AlarmSettled | Suspended | Resumed | AsideReleased
    | EvidenceConfirmed | RoundCollected | RoundCompleted | ShoeEmptied | ShoeEnded | DealerChanged
)  # fmt: skip
