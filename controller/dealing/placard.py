"""The sign at the table, made from the procedure that is enforced: wagers, choices, pay tables, what the house has set, and the rules hash.

Nothing here is written for a game by hand. What a player reads comes from the values that judge every act, so the two cannot differ; the
hash names the very rules, and stands in the journal of the table that enforces them.
"""

from __future__ import annotations

import msgspec

from controller.dealing.describe import RuleLine, option_lines, rule_line, size_lines, step_words
from controller.dealing.procedure import Procedure
from controller.dealing.settings import Plain, Setting, toml_text
from controller.dealing.side_steps import DecideSide
from controller.dealing.steps import Decide, Option, SetHands, Settle, Step
from controller.dealing.turn_steps import PlayHands


class PayTable(msgspec.Struct, frozen=True):
    """One posted table: what each hand is paid. Without rows none is posted."""

    name: str
    words: str
    rows: tuple[tuple[str, str], ...]
    rule: str
    standing: str
    note: str = ""


class Placard(msgspec.Struct, frozen=True):
    """Everything that the sign says."""

    key: str
    title: str
    subchapter: str
    method: str
    summary: str
    seats: int
    cards: int
    wagers: tuple[RuleLine, ...]
    choices: tuple[RuleLine, ...]
    """Decisions of players, step by step; a step's own sentence comes before its words of `choose`."""
    pay_tables: tuple[PayTable, ...]
    house: tuple[RuleLine, ...]
    """What the house has set besides the tables, limits among it."""
    rules_hash: str


def placard_of(procedure: Procedure) -> Placard:
    """Return the sign of a procedure."""
    game, settings = procedure.game, procedure.settings
    values = settings.as_dict()
    tables = [setting for setting in game.settings if isinstance(values[setting.name], dict)]
    return Placard(
        key=game.key, title=game.title, subchapter=game.law, method=procedure.method.value, summary=game.summary, seats=procedure.seats,
        cards=procedure.deck.cards, wagers=_wagers(procedure), choices=_choices(procedure),
        pay_tables=tuple(_pay_table(setting, values[setting.name]) for setting in tables),
        house=tuple(_house(setting, values[setting.name]) for setting in game.settings if setting not in tables),
        rules_hash=procedure.rules_hash,
    )  # fmt: skip


def placard_lines(placard: Placard) -> list[str]:
    """Return the sign as lines of text."""
    lines = [f"{placard.title} ({placard.subchapter})", placard.summary]
    lines.append(f"Dealt by {placard.method} from {placard.cards} cards to at most {placard.seats} seats.")
    lines += ["", "WAGERS", *_told(placard.wagers)]
    lines += ["", "CHOICES", *_told(placard.choices)]
    for table in placard.pay_tables:
        lines += ["", f"PAYS: {table.name.replace('_', ' ')}", f"  {table.words}"]
        width = max((len(hand) for hand, _ in table.rows), default=0)
        lines += [f"    {hand:<{width}}  {paid}" for hand, paid in table.rows] or ["    none is posted"]
        lines.append(_source(table.rule, table.standing, table.note))
    lines += ["", "THE HOUSE HAS SET", *_told(placard.house)]
    lines += ["", f"Rules hash {placard.rules_hash}.", "What is marked other than [law] was not read in the text of this game."]
    return lines


def _told(told: tuple[RuleLine, ...]) -> list[str]:
    return [text for line in told for text in (f"  {line.name}: {line.words}", _source(line.rule, line.standing, line.note))]


def _source(rule: str, standing: str, note: str) -> str:
    return f"      {rule} [{standing}{f'; {note}' if note else ''}]"


def _wagers(procedure: Procedure) -> tuple[RuleLine, ...]:
    lines = []
    for kind in procedure.game.wagers:
        if kind.offered is not None and not kind.offered(procedure.settings):
            continue
        size = f" ({kind.size.words})" if kind.size is not None and kind.size.rule is None else ""
        name = kind.name.replace("_", " ")
        lines += [rule_line(name, f"{kind.meaning}{size}", kind.rule), *size_lines(name, kind.size)]
    return tuple(lines)


def _choices(procedure: Procedure) -> tuple[RuleLine, ...]:
    lines = []
    for name, step in zip(procedure.names, procedure.steps, strict=True):
        options = _options(step)
        if options:
            lines.append(rule_line(name, step_words(step), step.rule))
        lines += [line for option in options for line in option_lines(f"{name}, {option.choose}", option)]
    return tuple(lines)


def _options(step: Step) -> tuple[Option, ...]:
    return step.options if isinstance(step, Decide | DecideSide | SetHands | Settle | PlayHands) else ()


def _pay_table(setting: Setting, value: Plain) -> PayTable:
    rows = tuple((hand, _paid(paid, setting.unit)) for hand, paid in value.items()) if isinstance(value, dict) else ()
    rule = setting.rule
    return PayTable(setting.name, setting.meaning, rows, rule.citation, rule.standing.value, rule.note)


def _paid(paid: Plain, unit: str) -> str:
    if isinstance(paid, str):
        return f"{paid} of the meter" if paid.endswith("%") else paid
    return f"{toml_text(paid)} {unit}"


def _house(setting: Setting, value: Plain) -> RuleLine:
    if isinstance(value, list) and any(isinstance(row, dict) for row in value):
        told = f"a list of {len(value)} lines, as filed"
    else:
        told = "not set" if value is None else toml_text(value).strip('"')
    return rule_line(setting.name.replace("_", " "), f"{told} ({setting.meaning})", setting.rule)
