"""A procedure in words: what a dealer reads, made from the very values that are enforced."""

from __future__ import annotations

import msgspec

from controller.dealing.game import Game
from controller.dealing.procedure import Procedure
from controller.dealing.rules import Rule
from controller.dealing.settings import Plain, Setting
from controller.dealing.show_steps import ShowHands
from controller.dealing.side_steps import BurnByFirst, DecideSide, ExposeSide
from controller.dealing.sizes import Size
from controller.dealing.steps import (
    Betting,
    Burn,
    Collect,
    Deal,
    Decide,
    Draw,
    Exchange,
    ExposeCards,
    First,
    Option,
    Order,
    SetHands,
    Settle,
    Stack,
    Start,
    Step,
    Stub,
    Wagers,
    Who,
)
from controller.dealing.turn_steps import HandCard, PlayHands


class RuleLine(msgspec.Struct, frozen=True):
    """One line of a procedure: what happens, and the rule it rests on."""

    name: str
    words: str
    rule: str
    standing: str
    note: str = ""


class SettingLine(msgspec.Struct, frozen=True):
    """One house setting, with what it is set to."""

    name: str
    value: Plain
    default: Plain
    allowed: str
    """The allowed values in words; `choices` and `between` have them one by one, where they are listed."""
    meaning: str
    rule: str
    standing: str
    note: str = ""
    limit: str | None = None
    """The rule that a value contradicts which is not allowed; None where it is the house's own choice."""
    choices: tuple[Plain, ...] = ()
    between: tuple[int, int] | None = None


class GameLine(msgspec.Struct, frozen=True):
    """One game in a listing."""

    key: str
    title: str
    subchapter: str
    methods: tuple[str, ...]
    decks: int
    stack: int | None
    seats: str
    standing: dict[str, int]
    """How many rules of each standing."""
    summary: str


_PLACES = {
    Who.WAGERED: "each seat with a wager", Who.LIVE: "each seat still in", Who.EVERY: "every position",
    Who.DEALER: "the dealer", Who.COMMUNITY: "the community area", Who.PLAYER: "the Player's hand",
    Who.BANKER: "the Banker's hand",
}  # fmt: skip
_SHARED = {Who.COMMUNITY, Who.PLAYER, Who.BANKER}
_FIRST = {
    First.SEAT_ONE: "seat 1 first, clockwise",
    First.AFTER_BUTTON: "the first player after the button first, clockwise, the dealer in rotation",
    First.START: "the starting position first, clockwise, the dealer in rotation",
}

_SHOWN = {
    Order.RIGHT_FIRST: " from the dealer's right, counterclockwise",
    Order.CLOCKWISE: " clockwise",
    Order.ANY: ", in the order in which players show",
}


def step_words(step: Step) -> str:
    """One sentence of what the step asks for."""
    match step:
        case Wagers():
            least = f" It takes {step.least} seats." if step.least > 1 else ""
            words = f'Take wagers, then call "no more bets".{least}'
        case Start():
            words = "Fix the starting position by dice, a number or a named seat; count counterclockwise, the dealer is 1."
        case Burn():
            words = f"Burn {step.cards} card{'s' if step.cards > 1 else ''}, unseen, to the discard rack."
        case Deal():
            words = _dealt(step)
        case Stack():
            rest = f" The first {step.keeps} stay, the rest goes to the rack unseen." if step.keeps is not None else ""
            words = f"Dispense a stack of {step.size} to {_to(step.to)}{_first(step.first, step.to)}.{rest}"
        case Decide():
            words = _decided(step)
        case SetHands():
            set_as = " and ".join(f"{name} {size}" for name, size in step.groups)
            dealer = step.who is Who.DEALER
            words = f"The dealer sets {set_as}.{_or_else(step.options)}" if dealer else f"Each seat sets {set_as}{_or(step.options)}."
        case ExposeCards():
            words = _turned(step)
        case Stub():
            words = "The stub goes to the discard rack unexposed, unless it is counted now."
        case ShowHands():
            words = f"Each seat with a {step.wager.replace('_', ' ')} wager shows its cards, which is settled at once{_or(step.options)}."
        case Settle(face_up=True):
            words = _settled_open(step)
        case Settle(passes=2):
            words = "Expose each hand from the dealer's right, counterclockwise, and take the losing wagers; then pay the winners."
        case Settle():
            words = f"Expose and settle each hand{_SHOWN[step.order]}.{_or_else(step.options)}"
        case Collect():
            words = "Pick up the cards in order, so that each hand can be rebuilt."
        case _:
            words = _drawn(step)
    return words if step.when is None else f"{words} (Only where it applies.)"


def _settled_open(step: Settle) -> str:
    if not step.wagers:
        return "Settle each hand from the dealer's right, counterclockwise; all cards lie face up."
    named = " and ".join(name.replace("_", " ") for name in step.wagers)
    return f"Settle {named}, from the dealer's right, counterclockwise, before any further card."


def _drawn(step: Step) -> str:
    match step:
        case PlayHands():
            choices = ", ".join(option.choose for option in step.options)
            return f"Each hand in turn, from seat 1, is played out before the next gets a card: {choices}."
        case HandCard():
            return "Deal the card that the hand in turn has asked for, face up."
        case Draw() | BurnByFirst() | ExposeSide() | DecideSide():
            return step.words
        case _:
            return step.label


def _dealt(step: Deal) -> str:
    faces = ", ".join(face.value for face in step.facing)
    to = _to(step.to) if step.serves is None else f"{_to(step.to)}, as far as this deal concerns them"
    burns = f" Before each card burn {step.burns}." if step.burns else ""
    first = _first(step.first, step.to)
    says = " Then announce what they are." if step.announces is not None else ""
    if step.together:
        return f"Deal {len(step.facing)} cards ({faces}) together to {to}{first}.{burns}{says}"
    return f"Deal {len(step.facing)} pass{'es' if len(step.facing) > 1 else ''} ({faces}) to {to}{first}.{burns}{says}"


def _decided(step: Decide) -> str:
    choices = ", ".join(option.choose for option in step.options)
    match step:
        case Betting():
            who = f" {step.opens}." if step.opens else ""
            return f"Betting round.{who} Enter folds, then call the end of the round; one seat left ends it."
        case Exchange():
            return f"Each seat still in chooses {choices}, and its new cards come at once{_first(step.first, (Who.LIVE,))}."
        case _:
            order = "in order, clockwise" if step.order is Order.CLOCKWISE else "in any order"
            who = "Each seat still in" if step.asks is None else "Each seat that has a choice"
            rest = f' "No more bets" means {step.unsaid} for all who said nothing.' if step.unsaid else ""
            return f"{who} decides {order}: {choices}.{rest}"


def _or_else(options: tuple[Option, ...]) -> str:
    return f" A seat not shown yet may choose {', '.join(option.choose for option in options)}." if options else ""


def _turned(step: ExposeCards) -> str:
    whose = "the dealer's" if step.what is Who.DEALER else "the community"
    if not step.cards:
        return f"Turn up {whose} cards."
    return f"Turn up {whose} card{'s' if len(step.cards) > 1 else ''} {' and '.join(map(str, step.cards))}."


def _first(first: First, to: tuple[Who, ...]) -> str:
    """Who is served first; nothing to say where only the centre is."""
    if set(to) <= _SHARED:
        return ""
    return f"; {_FIRST[first]}" if Who.DEALER in to else f"; {_FIRST[first].removesuffix(', the dealer in rotation')}"


def _to(places: tuple[Who, ...]) -> str:
    return " and ".join(_PLACES[who] for who in places)


def _or(options: tuple[Option, ...]) -> str:
    return f", or chooses {', '.join(option.choose for option in options)}" if options else ""


def option_words(option: Option) -> str:
    """What a choice means, with the size of the wager that it places unless that has a line of its own."""
    size = option.size
    notes = [f"{option.places}: {size.words}"] if size is not None and size.rule is None else []
    notes += [f"also called {' or '.join(option.also)}"] if option.also else []
    return f"{option.meaning} ({'; '.join(notes)})" if notes else option.meaning


def option_lines(name: str, option: Option) -> tuple[RuleLine, ...]:
    """A choice, and what the size of its wager rests on."""
    return rule_line(name, option_words(option), option.rule), *size_lines(name, option.size)


def size_lines(name: str, size: Size | None) -> tuple[RuleLine, ...]:
    """The size of a wager, where it rests on something else than the wager."""
    return () if size is None or size.rule is None else (rule_line(f"{name}, amount", size.words, size.rule),)


def rule_line(name: str, words: str, rule: Rule) -> RuleLine:
    """A line with the rule that it rests on."""
    return RuleLine(name, words, rule.citation, rule.standing.value, rule.note)


def procedure_lines(procedure: Procedure) -> list[RuleLine]:
    """Wagers, steps with their options, irregularities and the stub count, each with its rule."""
    game = procedure.game
    offered = [w for w in game.wagers if w.offered is None or w.offered(procedure.settings)]
    lines = []
    for wager in offered:
        lines += [rule_line(f"wager {wager.name}", wager.meaning, wager.rule), *size_lines(f"wager {wager.name}", wager.size)]
    for name, step in zip(procedure.names, procedure.steps, strict=True):
        lines.append(rule_line(name, step_words(step), step.rule))
        options = step.options if isinstance(step, Decide | DecideSide | SetHands | Settle | PlayHands) else ()
        lines += [line for option in options for line in option_lines(f"{name}: {option.choose}", option)]
    for kind, first in procedure.irregularities.items():
        lines += [rule_line(f"irregularity {kind}", f"{row.words} ({row.remedy})", row.rule) for row in first.rows()]
    if game.stub is not None:
        check = game.stub
        every = procedure.settings.number("stub_count_every")
        often = f"at least once in {every} rounds" if every > 1 else "in every round"
        lines.append(rule_line("stub count", f"Count the stub {often}.", check.rule))
        lines.append(rule_line("stub wrong, a hand misdealt", check.wrong_misdealt.words, check.wrong_misdealt.rule))
        lines.append(rule_line("stub wrong, all hands right", check.wrong_deck.words, check.wrong_deck.rule))
    return lines


def setting_lines(game: Game, procedure: Procedure) -> list[SettingLine]:
    """Every house setting with its value, default, allowed values, source and standing."""
    return [_setting(setting, procedure) for setting in game.settings]


def _setting(setting: Setting, procedure: Procedure) -> SettingLine:
    rule = setting.rule
    return SettingLine(
        name=setting.name, value=procedure.settings.as_dict()[setting.name], default=setting.default, allowed=setting.allowed_words,
        meaning=setting.meaning, rule=rule.citation, standing=rule.standing.value, note=rule.note,
        limit=str(setting.limit) if setting.limit is not None else None, choices=setting.allowed or (), between=setting.between,
    )  # fmt: skip


def game_line(game: Game, procedures: list[Procedure]) -> GameLine:
    """A game in one line, from the procedures of the methods that its defaults permit."""
    lines = [line for procedure in procedures for line in procedure_lines(procedure)]
    counts: dict[str, int] = {}
    for _, standing in {(line.rule, line.standing) for line in lines}:
        counts[standing] = counts.get(standing, 0) + 1
    stack = next((step.size for p in procedures for step in p.steps if isinstance(step, Stack)), None)
    seats = game.setting("seats")
    return GameLine(
        key=game.key, title=game.title, subchapter=game.law, methods=tuple(p.method.value for p in procedures),
        decks=procedures[0].deck.decks, stack=stack, seats=seats.allowed_words, standing=dict(sorted(counts.items())), summary=game.summary,
    )  # fmt: skip
