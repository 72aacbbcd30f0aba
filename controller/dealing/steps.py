"""The step vocabulary: what a procedure is made of.

A game is a tuple of these values per dealing method. A step says what it waits for, where cards go and what it rests on; it holds no
state and does nothing by itself. `controller.dealing.procedure` gives each step a name and compiles the sequence into a machine;
`controller.table` plays it.

Seats are counted clockwise from the dealer's left, so "clockwise" is rising seat numbers and "right first" is falling ones.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, ClassVar, TypeAlias

from controller.dealing.sizes import Size

if TYPE_CHECKING:
    from controller.dealing.round import Round
    from controller.dealing.rules import Rule
    from controller.dealing.settings import Settings


class Method(StrEnum):
    """How cards reach the table."""

    MANUAL_SHOE = "manual-shoe"
    HAND = "hand"
    AUTOMATED_SHOE = "automated-shoe"


class StateKind(StrEnum):
    """What a state is called at the table and in scripts; several steps share one kind."""

    CLOSED = "closed"
    UNVERIFIED = "unverified"
    READY = "ready"
    WAGERING = "wagering"
    STARTING = "starting"
    DEALING = "dealing"
    DECIDING = "deciding"
    DRAWING = "drawing"
    SETTING = "setting"
    SETTLING = "settling"
    COLLECTING = "collecting"
    COMPLETE = "complete"
    VOID = "void"
    SUSPENDED = "suspended"
    QUARANTINED = "quarantined"


class Face(StrEnum):
    DOWN = "down"
    UP = "up"


class Who(StrEnum):
    """Places that a step serves."""

    WAGERED = "wagered"
    """Seats that placed the required wager, but for a hand that is dead already."""
    LIVE = "live"
    """Seats still in the round."""
    EVERY = "every"
    """Every betting position, wager or not."""
    DEALER = "dealer"
    COMMUNITY = "community"
    PLAYER = "player"
    """The common hand that is called the Player's."""
    BANKER = "banker"


class First(StrEnum):
    """Where a rotation begins."""

    SEAT_ONE = "seat-1"
    """Farthest to the dealer's left; the dealer is last."""
    AFTER_BUTTON = "after-button"
    """First player clockwise after the button; the dealer has a place in the rotation, after the last seat."""
    START = "start"
    """The position that dice, a number or a drawn seat fixed; the dealer has a place in the rotation."""


class Placer(StrEnum):
    """Who may place a wager."""

    ANYONE = "anyone"
    HOLDER = "holder"
    """The seat that holds the shoe."""
    OTHERS = "others"
    """Any seat but that one."""


class Order(StrEnum):
    CLOCKWISE = "clockwise"
    RIGHT_FIRST = "right-first"
    ANY = "any"


Condition: TypeAlias = "Callable[[Round], bool]"
"""A pure question about the round; a step whose condition is false is passed over."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """Base: the rule a step rests on, and when it applies (None: always)."""

    kind: ClassVar[StateKind]
    label: ClassVar[str]
    rule: Rule
    when: Condition | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Wagers(Step):
    """Takes wagers until "no more bets"; with fewer than `least` seats there is no round."""

    kind = StateKind.WAGERING
    label = "wagers"
    least: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Start(Step):
    """Waits for the first position by dice, a number or a named seat, after the bets are closed."""

    kind = StateKind.STARTING
    label = "start"


@dataclass(frozen=True, slots=True, kw_only=True)
class Burn(Step):
    """Cards to the discard rack, unseen."""

    kind = StateKind.DEALING
    label = "burn"
    cards: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Deal(Step):
    """Passes of single cards. `facing` has one entry per pass; in each pass the places of `to` are served in turn."""

    kind = StateKind.DEALING
    label = "deal"
    to: tuple[Who, ...]
    facing: tuple[Face, ...]
    first: First = First.SEAT_ONE
    serves: Callable[[Round, int], bool] | None = None
    """Which of the seats are served; None: all that `to` names."""
    together: bool = False
    """Each place gets its cards of all passes at once, before the next place is served."""
    burns: int = 0
    """Cards burned before each card."""
    announces: Callable[[Round], str] | None = None
    """What the dealer announces when the last card of the step lies."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stack(Step):
    """One dispensed stack of `size` cards per place; `facing` has one entry per card of the stack."""

    kind = StateKind.DEALING
    label = "stack"
    to: tuple[Who, ...]
    size: int
    facing: tuple[Face, ...]
    first: First = First.SEAT_ONE
    keeps: int | None = None
    """Cards of each stack that lie at its place; the rest of it goes to the rack unseen. None: all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """One word of `choose`.

    `places` is the wager that the choice places, `size` what it must be (None: any amount). `takes_back` is a wager that goes back
    to the player. `forfeits` are wagers lost, to the house or to the pot. `status` is the seat's standing afterwards. `discard` cards
    go face down to the seat's discard place.
    """

    choose: str
    meaning: str
    rule: Rule
    also: tuple[str, ...] = ()
    """Other words that people use for the same choice; records and answers use `choose`."""
    places: str | None = None
    size: Size | None = None
    takes_back: str | None = None
    discard: int = 0
    exchanges: int = 0
    """Up to so many cards are thrown away, and as many come at once (see `Exchange`)."""
    keep: int = 0
    status: str = ""
    forfeits: tuple[str, ...] = ()
    forfeits_to: str = "house"
    forfeit_percent: int = 100
    stays_under: str | None = None
    """A side wager under which the cards stay when the seat gives up; otherwise they go to the rack."""
    needs: Callable[[Round, int], str] | None = None
    """Returns why this seat may not choose it, or an empty text."""
    keeps_turn: bool = False
    """The seat still has to decide: a wager beside the choice that is asked for."""
    turns_up: bool = False
    """The hand of the side that chooses it is turned up."""
    until_exposed: bool = False
    """May be chosen out of turn, as long as the seat's hand was not exposed."""

    def answers_to(self, word: str) -> bool:
        """Whether people mean this choice by the word."""
        return word == self.choose or word in self.also


NextPlace: TypeAlias = "Callable[[Round], tuple[str, str] | None]"
"""Place and face of the next card that a rule asks for; None when it is satisfied."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Draw(Step):
    """Cards one at a time until a rule is satisfied: asked again after each card, so the gate is open exactly while a card is due."""

    kind = StateKind.DRAWING
    label = "draw"
    next_place: NextPlace
    words: str = "Draw cards, one at a time, until the rule is satisfied."


@dataclass(frozen=True, slots=True, kw_only=True)
class Decide(Step):
    """One decision per live seat, in order. `asks` names the live seats that have a choice (None: all of them)."""

    kind = StateKind.DECIDING
    label = "decide"
    options: tuple[Option, ...]
    order: Order = Order.CLOCKWISE
    first: First = First.SEAT_ONE
    asks: Callable[[Round, int], bool] | None = None
    unsaid: str = ""
    """The choice of all who have said nothing when the dealer calls "no more bets"; empty: everybody has to say."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Betting(Decide):
    """A betting round among the players: what they bet is not followed, only who folds; the dealer closes it with `close_bets`.

    Any live seat may fold until then. The round is over by itself when one seat is left. `opener` says which seat acts first, in the
    words of `opens`.
    """

    label = "betting"
    order: Order = Order.ANY
    opener: Callable[[Round], int | None] | None = None
    opens: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange(Decide):
    """Each live seat in turn keeps its cards or throws some away, and gets as many at once.

    While its cards come the state is `drawing`. `own_stay`: when the rest of the deck is too small, the cards that this seat throws
    away are not shuffled into it.
    """

    label = "exchange"
    own_stay: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class SetHands(Step):
    """Live seats (or the dealer) set their cards in groups, such as keep 2, or high 2 and low 2."""

    kind = StateKind.SETTING
    label = "set"
    who: Who
    groups: tuple[tuple[str, int], ...]
    options: tuple[Option, ...] = ()
    """Choices besides setting, such as split, surrender, natural."""
    face_up: bool = False
    """The set hand lies face up at once (the dealer's)."""
    ends_with_discards: bool = False
    """The step ends when the dealer takes up the discards (`collect = "discards"`), not with the last hand."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExposeCards(Step):
    """Community cards or the dealer's hand are turned up by the dealer: those numbered in `cards` (1 is the first), or all."""

    kind = StateKind.SETTLING
    label = "expose"
    what: Who
    cards: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Stub(Step):
    """What remains of a single deck goes to the rack, unexposed. Takes no input: it records and moves on."""

    kind = StateKind.DEALING
    label = "stub"


@dataclass(frozen=True, slots=True, kw_only=True)
class Settle(Step):
    """Seats are exposed in order and compared. `options` may still be chosen by a seat not yet exposed."""

    kind = StateKind.SETTLING
    label = "settle"
    order: Order = Order.RIGHT_FIRST
    options: tuple[Option, ...] = ()
    face_up: bool = False
    """All hands lie face up already: nobody is exposed, and the step takes no input."""
    passes: int = 1
    """1: each hand is settled before the next; 2: all losing wagers are taken first, then the winners are paid."""
    with_folded: str | None = None
    """A side wager: folded seats that hold it are exposed too."""
    wagers: tuple[str, ...] = ()
    """Side wagers that are settled here alone, before further cards; empty: all that is left."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Collect(Step):
    """The cards of the round are picked up, so that each hand can be rebuilt."""

    kind = StateKind.COLLECTING
    label = "collect"


@dataclass(frozen=True, slots=True)
class Remedy:
    """What an irregularity leads to: the remedy's code, the rule, and words for people.

    `when` is asked about the round and the place where it happened; where it is false the row `otherwise` applies.
    """

    remedy: str
    rule: Rule
    words: str
    when: Callable[[Round, str], bool] | None = None
    otherwise: Remedy | None = None

    def at(self, round_: Round | None, place: str) -> Remedy | None:
        """The row that applies now; None: no row does."""
        row: Remedy | None = self
        while row is not None and row.when is not None and (round_ is None or not row.when(round_, place)):
            row = row.otherwise
        return row

    def rows(self) -> tuple[Remedy, ...]:
        """This row and those that apply otherwise, in the order in which they are asked."""
        return (self,) if self.otherwise is None else (self, *self.otherwise.rows())


@dataclass(frozen=True, slots=True, kw_only=True)
class WagerKind:
    """A wager by name. All `required` ones put a seat in play; where none is required, any that `opens` does."""

    name: str
    rule: Rule
    required: bool = False
    opens: bool = False
    size: Size | None = None
    """What it must be, where it is measured by other wagers placed before the deal."""
    alike: bool = False
    """Every seat places the same amount."""
    by: Placer = Placer.ANYONE
    within: str | None = None
    """A wager of the holder that all wagers of this kind together may not pass, and that needs at least one of them."""
    side: bool = False
    before_deal: bool = True
    also: tuple[str, ...] = ()
    """Other names that people use for it."""
    offered: Callable[[Settings], bool] | None = None
    """Whether a house with these settings offers it; None: every house does."""
    meaning: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class StubCheck:
    """How often the stub is counted, and what a wrong count leads to."""

    rule: Rule
    wrong_misdealt: Remedy
    wrong_deck: Remedy
    method: str = "counted face down on the layout"
    notes: tuple[str, ...] = field(default=())
