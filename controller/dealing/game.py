"""The shape of a game module: a value made of settings, wagers, steps per dealing method, irregularities and a few pure functions.

A game knows cards, seats and money; it knows no device, no journal and no time. What differs between casinos is a setting.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

import msgspec

from controller.dealing.repairs import with_repairs
from controller.dealing.rules import Rule
from controller.dealing.settings import Setting, Settings
from controller.dealing.steps import Method, Remedy, Step, StubCheck, WagerKind

if TYPE_CHECKING:
    from controller.dealing.round import Round
    from controller.decks import DeckSpec
    from firmware_bridge.cards import Card


class Judged(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """The result of one hand. `results` and `pays` are per wager; pays are net cents, None where no amount or no odds are known."""

    key: str
    results: dict[str, str]
    pays: dict[str, int | None]
    rule: Rule
    hand: str = ""
    commission: int = 0
    """Cents that the house keeps of this hand's win."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SetFlaw:
    """What is wrong with a hand as set. `ruling` is True when no rule decides it and a supervisor must."""

    words: str
    rule: Rule
    ruling: bool = False
    equal: bool = False
    """Two hands are equal where one is to be higher, which some cards leave no way around: a dealer may set them so."""


Groups: TypeAlias = "dict[str, tuple[Card, ...]]"


def no_flaw(settings: Settings, groups: Groups) -> SetFlaw | None:
    """Nothing can be wrong: hands are not set."""
    return None


def _no_house_way(settings: Settings, cards: tuple[Card, ...]) -> Groups | None:
    return None


def _other_set(settings: Settings, one: Groups, other: Groups) -> bool:
    return False


def _never(settings: Settings, cards: tuple[Card, ...]) -> bool:
    return False


def _nobody(round_: Round) -> tuple[int, ...]:
    return ()


def _none_after_cut(settings: Settings) -> int:
    return 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Game:
    """One game of the chapter. See `docs/explanation/procedures.md` for a walk through one."""

    key: str
    title: str
    law: str
    """Subchapter, such as `13:69F-23`."""
    summary: str
    settings: tuple[Setting, ...]
    wagers: tuple[WagerKind, ...]
    deck: Callable[[Settings], DeckSpec]
    deals: Mapping[Method, Callable[[Settings], tuple[Step, ...]]]
    play: Callable[[Settings], tuple[Step, ...]]
    irregularities: Callable[[Method], Mapping[str, Remedy]]
    judge: Callable[[Settings, Round], list[Judged]]
    stub: StubCheck | None
    judge_void: Callable[[Settings, Round], list[Judged]] | None = None
    """The results of side wagers that stand although the round is void; None: they are settled outside of this record."""
    settled_early: Callable[[Round], tuple[int, ...]] = _nobody
    """Seats that were settled while others still play: what they won or lost stays when the round is void."""
    shoe_game: bool = False
    """A shoe serves many rounds; otherwise the deck is shuffled after every round."""
    absent: Mapping[Method, Rule] = field(default_factory=dict)
    """Methods by which this game is not dealt, and why."""
    house_rows: Callable[[Settings], Mapping[str, Remedy]] | None = None
    """Irregularity rows that a house setting decides; they replace those of `irregularities`."""
    permitted: Callable[[Settings], Mapping[Method, Rule | None]] | None = None
    """Per method: None when it may be used, else the rule that a house must first decide."""
    forbids: Callable[[Settings], tuple[str, Rule] | None] | None = None
    """Why these settings together contradict a text that was read, with its rule; None when they do not."""
    cards_needed: Callable[[Settings, int], int] | None = None
    """The most cards that a round with n seats takes out of the deck."""
    set_flaw: Callable[[Settings, Groups], SetFlaw | None] = no_flaw
    house_way: Callable[[Settings, tuple[Card, ...]], Groups | None] = _no_house_way
    sets_are_equal: Callable[[Settings, Groups, Groups], bool] = _other_set
    """Whether a hand set with other cards than the house way chose is as good: only suits differ, and they do not count."""
    is_natural: Callable[[Settings, tuple[Card, ...]], bool] = _never
    """Whether these cards win at once, as the house has defined it."""
    shows: int = 0
    """Cards that a seat shows when it keeps only some without a Set step; 0: all."""
    compared: str = ""
    """The wager that tells who had the better hand, where the main wager may go another way; a hand without it goes by the main wager."""
    holder: str = ""
    """What the seat that holds the shoe is called; empty where nobody at the table does."""
    next_holder: Callable[[Round, int], int | None] | None = None
    """Who holds the shoe after a round that was not void, at a table with so many seats; None: it is to be named."""
    speaks_for: Callable[[Round, int], str | None] | None = None
    """The side whose third card a seat decides on; None for a seat that decides on none."""
    rounds_after_cut: Callable[[Settings], int] = _none_after_cut
    """Rounds that may still begin after the one in which the cutting card came out."""
    may_run_out: bool = False
    """A round may begin with fewer cards than it could take; it is void if they run out."""
    opening_wagers: tuple[str, ...] = field(init=False)
    """The wagers that put a seat in play: all that are required, or where none is, those of which any does."""

    def __post_init__(self) -> None:
        """Every game has the settings of what people may put right."""
        rows = {kind for method in self.deals for kind in self.irregularities(method)}
        object.__setattr__(self, "settings", with_repairs(self.settings, rows))
        opening = [w.name for w in self.wagers if w.required] or [w.name for w in self.wagers if w.opens]
        object.__setattr__(self, "opening_wagers", tuple(opening))

    @property
    def required_wager(self) -> str:
        """The main wager: the first that puts a seat in play."""
        return self.opening_wagers[0]

    @property
    def wagers_without_words(self) -> tuple[str, ...]:
        """The wagers that a seat has when no amounts are told: all that are required, or the first that opens."""
        required = tuple(w.name for w in self.wagers if w.required)
        return required or self.opening_wagers[:1]

    @property
    def telling_wagers(self) -> tuple[str, ...]:
        """The wagers by whose result a hand is called won or lost, the first that it has."""
        return (self.compared, self.required_wager)

    def wagers_before(self, settings: Settings) -> tuple[WagerKind, ...]:
        """The wagers that are taken before the deal at a table with these settings."""
        return tuple(w for w in self.wagers if w.before_deal and (w.offered is None or w.offered(settings)))

    def setting(self, name: str) -> Setting:
        """The setting of this name."""
        return next(s for s in self.settings if s.name == name)
