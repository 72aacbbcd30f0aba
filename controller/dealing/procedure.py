"""A procedure: one game, one dealing method, one set of house settings, compiled and ready to play.

The rules hash covers everything that decides a verdict: settings, wagers, steps, options, irregularities, the stub count and their
citations. It goes into the journal when a table opens and with every fresh shoe, so that what was enforced can be told later.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from enum import Enum
from functools import partial
from typing import Final

from controller.dealing.game import Game
from controller.dealing.machine import FIXED, Phases, compile_machine
from controller.dealing.repairs import repair_rows
from controller.dealing.round import Round
from controller.dealing.rules import Rule
from controller.dealing.settings import Plain, Settings, nearest, resolve_settings, shown
from controller.dealing.steps import (
    Betting,
    Burn,
    Deal,
    Decide,
    Exchange,
    First,
    Method,
    Option,
    Placer,
    Remedy,
    SetHands,
    Settle,
    Stack,
    StateKind,
    Step,
    WagerKind,
    Who,
)
from controller.dealing.turn_steps import PlayHands
from controller.decks import DeckSpec
from controller.errors import ShoedError

DECIDING: Final = StateKind.DECIDING
"""Asked for with every act: a look into an enumeration costs as much as a small function."""


class ProcedureError(ShoedError):
    """A method that the game does not have, or that its house has not permitted."""


@dataclass(frozen=True, slots=True)
class Procedure:
    """What a table plays. `names` are the step states in order; `kinds` tells each state's kind."""

    game: Game
    method: Method
    settings: Settings
    deck: DeckSpec
    seats: int
    names: tuple[str, ...]
    steps: tuple[Step, ...]
    irregularities: Mapping[str, Remedy]
    phases: Phases
    by_name: Mapping[str, Step]
    kinds: Mapping[str, StateKind]
    dealt_singly: Mapping[str, Step]
    """By phase: the steps in which a card that is due comes singly; one of decisions may ask for some."""
    rules_hash: str
    plays_hands: PlayHands | None
    """The players' turn at drawing cards, in games that have one."""
    deals_to_every: bool
    """Every position gets cards, whether anybody has placed a wager there or not."""
    hands_lie_open: bool
    """All hands are dealt face up, so that nobody exposes and names a hand later."""
    wager_words: Mapping[str, str]
    """What a wager before the deal may be called, each word with the wager's name."""
    measured_wagers: tuple[WagerKind, ...]
    """Those whose amount is measured by other wagers."""
    holder_wagers: bool
    """Some wagers belong to one seat, or to all but one."""
    choices: Mapping[str, Mapping[str, Option]]
    """By phase: the words of `choose` that its step knows, each with what it means."""
    plain_choices: Mapping[str, Mapping[str, Option]]
    """By phase of a decision: those words with which a seat stays in, places a wager at most, and that any seat may say in its turn."""
    hand_forms: tuple[tuple[str, int], ...]
    """How hands are shown: the groups of the players' Set step, or what a choice keeps; empty: as they were dealt."""
    shuffle_each_round: bool
    """The game is dealt from one deck that is shuffled after every round."""
    button_game: bool
    """A button says who is dealt to first."""
    among_players: bool
    """Players play one another, and betting rounds say who is left."""

    def step(self, phase: str) -> Step | None:
        """The step of a phase, None for the table's own states."""
        return self.by_name.get(phase)

    def kind_at(self, phase: str, round_: Round | None) -> StateKind:
        """The kind of a phase in this round: while a seat's new cards come, a step of decisions is one of cards."""
        kind = self.kinds[phase]
        if kind is DECIDING and round_ is not None and round_.cursor < len(round_.plan):
            return StateKind.DRAWING if isinstance(self.by_name[phase], Exchange) else StateKind.DEALING
        return kind


def parse_method(text: str, game: Game) -> Method:
    """The dealing method of this name, if the game has it."""
    known = [method.value for method in game.deals]
    why = next((rule for method, rule in game.absent.items() if method.value == text), None)
    if why is not None:
        raise ProcedureError(
            code="unknown-method",
            what=f"{game.key} is not dealt by {text}: {why.note or 'the game does not have this method'} ({why}).",
            do=f"Choose one of: {', '.join(known)}.",
        )
    if text not in known:
        raise ProcedureError(
            code="unknown-method",
            what=f"{game.key} cannot be dealt by '{shown(text)}'{nearest(text, known)}.",
            do=f"Choose one of: {', '.join(known)}.",
        )
    return Method(text)


def build_procedure(game: Game, method: str, house: Mapping[str, Plain] | None = None) -> Procedure:
    """Compile a game for one method and one set of house settings.

    Raises:
        SettingError: a setting that does not exist or has a value that it cannot have.
        ProcedureError: a method that the game does not have or that the house has not permitted, or seats that the deck cannot serve.
    """
    settings = resolve_settings(game.settings, house or {}, game.key)
    chosen = parse_method(method, game)
    _check_law(game, settings)
    _check_permitted(game, chosen, settings)
    steps = (*game.deals[chosen](settings), *game.play(settings))
    names = _name_steps(steps)
    deck = game.deck(settings)
    seats = settings.number("seats")
    _check_cards(game, settings, deck, steps)
    machine = compile_machine(names, steps, shuffle_each_round=not game.shoe_game)
    house_rows = game.house_rows(settings) if game.house_rows is not None else {}
    irregularities = {**repair_rows(settings), **game.irregularities(chosen), **house_rows}
    kinds = {state.value: state for state in FIXED} | {name: step.kind for name, step in zip(names, steps, strict=True)}
    return Procedure(
        game=game, method=chosen, settings=settings, deck=deck, seats=seats, names=names, steps=steps, irregularities=irregularities,
        phases=Phases(machine), by_name=dict(zip(names, steps, strict=True)), kinds=kinds, dealt_singly=_dealt_singly(names, steps),
        rules_hash=_hash_rules(game.key, chosen, settings, game.wagers, steps, irregularities, game.stub),
        plays_hands=next((step for step in steps if isinstance(step, PlayHands)), None), hand_forms=_hand_forms(game, steps),
        shuffle_each_round=not game.shoe_game,
        button_game=any(getattr(step, "first", None) is First.AFTER_BUTTON for step in steps),
        among_players=any(isinstance(step, Betting) for step in steps),
        deals_to_every=any(isinstance(step, Deal | Stack) and Who.EVERY in step.to for step in steps),
        hands_lie_open=any(isinstance(step, Settle) and step.face_up for step in steps),
        wager_words={word: kind.name for kind in game.wagers_before(settings) for word in (kind.name, *kind.also)},
        measured_wagers=tuple(kind for kind in game.wagers if kind.size is not None or kind.alike),
        holder_wagers=any(kind.by is not Placer.ANYONE or kind.within is not None for kind in game.wagers),
        choices={name: _choices(step) for name, step in zip(names, steps, strict=True)},
        plain_choices={name: _plain_choices(step) for name, step in zip(names, steps, strict=True) if type(step) is Decide},
    )  # fmt: skip


def _dealt_singly(names: Sequence[str], steps: Sequence[Step]) -> Mapping[str, Step]:
    asking = (StateKind.DEALING, StateKind.DRAWING, StateKind.DECIDING)
    return {name: step for name, step in zip(names, steps, strict=True) if step.kind in asking and not isinstance(step, Stack)}


def _choices(step: Step) -> Mapping[str, Option]:
    words: dict[str, Option] = {}
    for option in step.options if isinstance(step, Decide | SetHands | Settle | PlayHands) else ():
        for word in (option.choose, *option.also):
            words.setdefault(word, option)
    return words


def _plain_choices(step: Decide) -> Mapping[str, Option]:
    """Whether an option is plain, told by what it may have besides words, a wager and a rule."""
    plain = {"choose", "meaning", "rule", "also", "places", "size"}
    usual = {field.name: field.default for field in fields(Option) if field.name not in plain}
    return {
        word: option for word, option in _choices(step).items() if all(getattr(option, name) == value for name, value in usual.items())
    }  # fmt: skip


def _hand_forms(game: Game, steps: tuple[Step, ...]) -> tuple[tuple[str, int], ...]:
    for step in steps:
        if isinstance(step, SetHands) and step.who is not Who.DEALER:
            return step.groups
    return (("keep", game.shows),) if game.shows else ()


def _check_permitted(game: Game, method: Method, settings: Settings) -> None:
    rule = game.permitted(settings).get(method) if game.permitted is not None else None
    if rule is not None:
        raise ProcedureError(
            code="method-not-permitted",
            what=f"{game.key}: dealing by {method} is not permitted unless the house says so ({rule}): {rule.note}.",
            do="Choose another method, or set `methods_permitted` to what the casino's Rules of the Games Submission allows.",
        )


def _check_law(game: Game, settings: Settings) -> None:
    found = game.forbids(settings) if game.forbids is not None else None
    if found is not None:
        why, rule = found
        raise ProcedureError(
            code="against-the-law",
            what=f"{game.key}: {why} ({rule}).",
            do=f"Change one of the settings. See: shoed games settings {game.key}",
        )


def _check_cards(game: Game, settings: Settings, deck: DeckSpec, steps: tuple[Step, ...]) -> None:
    seats = settings.number("seats")
    parts = card_parts(steps, seats)
    always = sum(cards for cards, _ in parts)
    needed = game.cards_needed(settings, seats) if game.cards_needed is not None else always
    if needed > always:
        parts.append((needed - always, f"{needed - always} that the play may ask for"))
    elif needed < always:
        parts = [(needed, f"{seats} seats")]
    if needed > deck.cards:
        decks = "the deck has" if deck.decks == 1 else f"the {deck.decks} decks have"
        raise ProcedureError(
            code="too-many-seats",
            what=f"{game.key}: {' + '.join(words for _, words in parts)} = {needed}, but {decks} {deck.cards}.",
            do="Lower `seats`, or use more decks where the game allows them.",
        )


def card_parts(steps: tuple[Step, ...], seats: int) -> list[tuple[int, str]]:
    """(cards, words) of what every round deals with all seats taken: seats, dealer, community cards and burns."""
    each = {"seat": 0, "dealer": 0, "community": 0, "burned": 0}
    for step in steps:
        if step.when is not None:
            continue
        if isinstance(step, Burn):
            each["burned"] += step.cards
        elif isinstance(step, Deal | Stack):
            cards = step.size if isinstance(step, Stack) else len(step.facing)
            served = {"dealer": Who.DEALER in step.to, "community": Who.COMMUNITY in step.to}
            served["seat"] = bool({Who.WAGERED, Who.LIVE, Who.EVERY} & set(step.to))
            for place, is_served in served.items():
                each[place] += cards * is_served
            if isinstance(step, Deal):
                each["burned"] += step.burns * cards * (served["seat"] * seats + served["dealer"] + served["community"])
    parts = [(each["seat"] * seats, f"{seats} seats x {each['seat']} cards")] if each["seat"] else []
    words = {"dealer": "for the dealer", "community": "community cards", "burned": "burned"}
    return parts + [(each[place], f"{each[place]} {text}") for place, text in words.items() if each[place]]


def _name_steps(steps: tuple[Step, ...]) -> tuple[str, ...]:
    totals: dict[str, int] = {}
    for step in steps:
        totals[step.label] = totals.get(step.label, 0) + 1
    seen: dict[str, int] = {}
    names = []
    for step in steps:
        seen[step.label] = seen.get(step.label, 0) + 1
        names.append(step.label if totals[step.label] == 1 else f"{step.label} {seen[step.label]}")
    return tuple(names)


def _hash_rules(*parts: object) -> str:
    return hashlib.sha256("\n".join(_words(part) for part in parts).encode()).hexdigest()


def _words(value: object) -> str:
    """A stable text of rules data: functions by their qualified name, everything else by value."""
    if isinstance(value, Settings):
        return _words(value.as_dict())
    if isinstance(value, Rule):
        return f"{value.citation}|{value.standing}|{value.note}"
    if isinstance(value, Enum):
        return str(value.value)
    if isinstance(value, Mapping):
        return "{" + ",".join(f"{k}={_words(v)}" for k, v in sorted(value.items(), key=lambda pair: str(pair[0]))) + "}"
    if isinstance(value, list | tuple):
        return "[" + ",".join(_words(item) for item in value) + "]"
    if is_dataclass(value) and not isinstance(value, type):
        inner = ",".join(f"{f.name}={_words(getattr(value, f.name))}" for f in fields(value))
        return f"{type(value).__name__}({inner})"
    if isinstance(value, partial):
        return f"{_words(value.func)}({_words(value.args)})"
    if callable(value):
        return str(getattr(value, "__qualname__", type(value).__name__))
    return repr(value)
