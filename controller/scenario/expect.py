"""What a step expects of its outcome, and where the two differ.

An expectation is any subset of what an outcome tells; all that is named must match, and nothing else is looked at.
Words are checked against the closed lists of the vocabulary when the script is read, so that a misspelt code cannot
pass as a difference of the table. Amounts are compared as numbers; a plain word or sum for a seat with several wagers
means all of them.

`alarm` holds when the alarm is open after the act, whether this act or an earlier one raised it; `alarms` is the whole
list. A refusal is never overlooked: an act of people that is refused fails its step unless the step expects `refused`.
A device act cannot be undone by refusing it, so there only what is named is compared.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Final

from controller.dealing.steps import StateKind
from controller.table.codes import ALARMS, IRREGULARITIES, REFUSALS, REMEDIES
from controller.table.outcome import Outcome
from controller.table.parse import ACT_KEYS
from controller.table.parse_values import (
    ActError,
    Fields,
    as_cards,
    as_count,
    as_number,
    as_text,
    as_word,
    unknown_word,
)

EVIDENCE: Final = ("read", "confirmed", "counted", "told", "inferred", "unknown")
RESULT_WORDS: Final = re.compile(r"[a-z][a-z-]{0,30}")
_PLACE: Final = re.compile(r"seat [1-9]\d?( hand [1-9])?|dealer|community( [1-9]\d?)?|player|banker|burn|discard|aside|rack")
_RESULT_KEY: Final = re.compile(r"[1-9]\d?( hand [1-9])?|player|banker|dealer")
_AMOUNT: Final = re.compile(r"-?\d{1,12}(\.\d{1,2})?", re.ASCII)

Plain = str | int | bool | list[str] | dict[str, str] | dict[str, "str | dict[str, str]"] | dict[str, list[str]]
Expectation = Mapping[str, Plain]
"""Checked and in plain form, as it is shown when it fails; amounts are decimal text."""


class Difference(dict[str, tuple[object, object]]):
    """What was named and does not match: key -> (expected, actual). Empty when the step holds."""

    @property
    def expected(self) -> dict[str, object]:
        """The expected values of the keys that differ."""
        return {key: pair[0] for key, pair in self.items()}

    @property
    def actual(self) -> dict[str, object]:
        """The values that came instead."""
        return {key: pair[1] for key, pair in self.items()}


def parse_expectation(value: object) -> Expectation:
    """Return the checked expectation of a step.

    Raises:
        ActError: an unknown key, a code that does not exist, or a value of the wrong kind.
    """
    fields = Fields("expect", value, '{ to = "seat 5", face = "down" }')
    read: dict[str, Plain] = {}
    for key, reader in _READERS.items():
        found = fields.maybe(key, reader)
        if found is not None:
            read[key] = found
    fields.finish()
    return read


def find_differences(expected: Expectation, outcome: Outcome, *, by_device: bool) -> Difference:
    """Return what the expectation names and the outcome does not give."""
    different = Difference()
    for key, wanted in expected.items():
        actual = _ACTUAL[key](outcome) if key in _ACTUAL else getattr(outcome, key)
        if not _HOLDS.get(key, _same)(wanted, actual):
            different[key] = (wanted, _plain(actual))
    if outcome.refused is not None and "refused" not in expected and not by_device:
        different["refused"] = (None, outcome.refused)
    return different


def _plain(value: object) -> object:
    return list(value) if isinstance(value, tuple) else value


# ---- reading


def _as_place(where: str, value: object) -> str:
    text = as_text(where, value)
    if not _PLACE.fullmatch(text):
        places = ("seat 3", "seat 3 hand 2", "dealer", "community 2", "player", "banker", "burn", "discard", "aside")
        raise unknown_word(where, "place", text, places)
    return text


def _as_alarms(where: str, value: object) -> list[str]:
    return _as_words(where, value, "alarm", ALARMS)


def _as_next(where: str, value: object) -> list[str]:
    return _as_words(where, value, "act", ACT_KEYS)


def _as_words(where: str, value: object, kind: str, valid: Mapping[str, object] | frozenset[str]) -> list[str]:
    if not isinstance(value, list) or len(value) > 99:
        raise ActError(where, "this is no list.", f"Write a list of {kind}s; an empty one means none.")
    read = as_word(valid, kind)
    return [read(f"{where}[{index}]", item) for index, item in enumerate(value)]


def _as_results(where: str, value: object) -> dict[str, str | dict[str, str]]:
    return _by_hand(where, value, _as_result)


def _as_pays(where: str, value: object) -> dict[str, str | dict[str, str]]:
    return _by_hand(where, value, _as_net)


def _by_hand(where: str, value: object, read: Callable[[str, object], str]) -> dict[str, str | dict[str, str]]:
    table: dict[str, str | dict[str, str]] = {}
    for key, item in _table(where, value).items():
        if not _RESULT_KEY.fullmatch(key):
            raise unknown_word(where, "hand", key, ("1", "3 hand 2", "player", "banker"))
        inner = f"{where}.{key}"
        if isinstance(item, Mapping):
            table[key] = {name: read(f"{inner}.{name}", part) for name, part in _table(inner, item).items()}
        else:
            table[key] = read(inner, item)
    return table


def _table(where: str, value: object) -> dict[str, object]:
    fields = Fields(where, value, '{ "1" = "win", "2" = "lose" }')
    return fields.rest()


def _as_result(where: str, value: object) -> str:
    text = as_text(where, value)
    if not RESULT_WORDS.fullmatch(text):
        raise ActError(where, "this is no result.", "Write a word such as win, lose or push.")
    return text


def _as_net(where: str, value: object) -> str:
    text = value if isinstance(value, str) else repr(value)
    if isinstance(value, bool) or not isinstance(value, int | float | str) or not _AMOUNT.fullmatch(text):
        raise ActError(where, "this is no net amount.", 'Write whole units such as -10, or text such as "20.75".')
    return text


def _as_house_way(where: str, value: object) -> dict[str, list[str]]:
    fields = Fields(where, value, '{ keep = ["Kc", "Kd"] }')
    groups: dict[str, list[str]] = {}
    for name in ("high", "medium", "low", "keep"):
        cards = fields.maybe(name, as_cards)
        if cards is not None:
            groups[name] = [card.name for card in cards]
    fields.finish()
    return groups


_READERS: Final[Mapping[str, Callable[[str, object], Plain]]] = {
    "refused": as_word(REFUSALS, "refusal"),
    "to": _as_place,
    "face": as_word(("up", "down"), "facing"),
    "gate": as_word(("open", "locked"), "gate"),
    "state": as_word([state.value for state in StateKind], "state"),
    "irregularity": as_word(IRREGULARITIES, "irregularity"),
    "remedy": as_word(REMEDIES, "remedy"),
    "rule": as_text,
    "alarm": as_word(ALARMS, "alarm"),
    "alarms": _as_alarms,
    "next": _as_next,
    "stub_expected": as_number(-999, 9_999),
    "results": _as_results,
    "pays": _as_pays,
    "house_way": _as_house_way,
    "rack": as_count,
    "evidence": as_word(EVIDENCE, "evidence"),
}
EXPECT_KEYS: Final = frozenset(_READERS)


# ---- comparing


def _same(wanted: Plain, actual: object) -> bool:
    return wanted == actual


def _alarms(outcome: Outcome) -> object:
    return outcome.alarms or ((outcome.alarm,) if outcome.alarm else ())


def _same_set(wanted: Plain, actual: object) -> bool:
    return isinstance(wanted, list) and isinstance(actual, tuple) and sorted(wanted) == sorted(actual)


def _subset(wanted: Plain, actual: object) -> bool:
    return isinstance(wanted, list) and isinstance(actual, tuple) and set(wanted) <= set(actual)


def _is_open(wanted: Plain, actual: object) -> bool:
    return isinstance(actual, tuple) and wanted in actual


def _results_hold(wanted: Plain, actual: object) -> bool:
    return _each_hand(wanted, actual, _result_holds)


def _result_holds(wanted: str | dict[str, str], actual: str | dict[str, str]) -> bool:
    match wanted, actual:
        case str(), str():
            return wanted == actual
        case str(), dict():
            return all(result == wanted for result in actual.values())
        case dict(), dict():
            return all(actual.get(wager) == result for wager, result in wanted.items())
        case _:
            return all(result == actual for result in wanted.values()) if isinstance(wanted, dict) else False


def _pays_hold(wanted: Plain, actual: object) -> bool:
    return _each_hand(wanted, actual, _pay_holds)


def _pay_holds(wanted: str | dict[str, str], actual: str | dict[str, str]) -> bool:
    match wanted, actual:
        case dict(), dict():
            return all(wager in actual and Decimal(actual[wager]) == Decimal(net) for wager, net in wanted.items())
        case _:
            return _total(wanted) == _total(actual)


def _total(net: str | dict[str, str]) -> Decimal:
    return Decimal(net) if isinstance(net, str) else sum(map(Decimal, net.values()), Decimal())


def _each_hand(wanted: Plain, actual: object, holds: Callable[[str | dict[str, str], str | dict[str, str]], bool]) -> bool:
    if not isinstance(wanted, dict) or not isinstance(actual, dict):
        return False
    if not wanted:
        return not actual
    return all(key in actual and not isinstance(item, list) and holds(item, actual[key]) for key, item in wanted.items())


def _same_cards(wanted: Plain, actual: object) -> bool:
    if not isinstance(wanted, dict) or not isinstance(actual, Mapping):
        return False
    return all(sorted(cards) == sorted(actual.get(name, ())) for name, cards in wanted.items())


_ACTUAL: Final[Mapping[str, Callable[[Outcome], object]]] = {"alarm": _alarms, "alarms": _alarms}
_HOLDS: Final[Mapping[str, Callable[[Plain, object], bool]]] = {
    "alarm": _is_open,
    "alarms": _same_set,
    "next": _subset,
    "results": _results_hold,
    "pays": _pays_hold,
    "house_way": _same_cards,
}
