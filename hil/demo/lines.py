"""What a demonstration prints: one line for each act, with where it went, what it rests on, and what came of it.

Only outcomes are read, and an outcome is public: no line tells a card that the procedure has not shown. What a person
chose is told without the cards that lie face down.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Final

from controller.table.outcome import Outcome
from hil.endtoend.daemon import Entry
from hil.people.moves import Move

WORDS: Final = {
    "open": "the table opens",
    "close_bets": "no more bets",
    "load": "cards are put in",
    "shuffle": "the cards are shuffled",
    "shuffle_aborted": "a shuffle is broken off",
    "card": "a card",
    "stack": "a stack",
    "cut_card": "the cutting card",
    "device": "a notice",
}
NUMBERS: Final = ("no", "one", "two", "three", "four", "five")


class Teller:
    """Makes lines of entries, and remembers what was told already. `turned_up` names cards that now lie face up."""

    def __init__(self, turned_up: Callable[[Move], list[str]]) -> None:
        self._turned_up = turned_up
        self._round = 0
        self._results: dict[str, str] = {}
        self._alarms: tuple[str, ...] = ()

    def lines(self, entry: Entry, move: Move | None) -> list[str]:
        """Return the lines of one journalled act; `move` is what a person did, where a person did it."""
        outcome = entry.outcome
        told: list[str] = []
        if outcome.round != self._round:
            self._round = outcome.round
            self._results = {}
            told.append(f"---- round {outcome.round}")
        trouble = self._trouble(outcome)
        if entry.act != "device" or trouble:
            told.append(self._act_line(entry, move))
        return told + trouble + self._settled(outcome)

    def _act_line(self, entry: Entry, move: Move | None) -> str:
        outcome = entry.outcome
        text = self._deed(move) if move is not None else WORDS.get(entry.act, entry.act)
        if move is None or entry.act in ("card", "stack"):
            text += f" to {outcome.to}" if outcome.to else ""
            text += f", face {outcome.face}" if outcome.face else ""
            text += f": {outcome.card}" if outcome.card else ""
        rule = f"  [{_rule(outcome)}]" if outcome.rule else ""
        return f"  {entry.by.removeprefix('device:'):<14} {text:<48} {outcome.state:<10} gate {outcome.gate:<6}{rule}"

    def _deed(self, move: Move) -> str:
        """What a person did, without a card that lies face down."""
        value = move.value
        if not isinstance(value, dict):
            match move.key:
                case "stub_count":
                    return f"the stub is counted: {value}"
                case "collect":
                    return "the discards are taken up" if value == "discards" else "the cards are picked up"
                case _:
                    return WORDS.get(move.key, move.key)
        who = f"seat {value['seat']}" if isinstance(value.get("seat"), int) else str(value.get("seat", ""))
        match move.key:
            case "wager":
                amounts = [f"{name} {amount}".removeprefix("wager ") for name, amount in value.items() if name != "seat"]
                return f"{who} wagers {', '.join(amounts) or 'an amount not told'}"
            case "decide":
                discards = value.get("discard")
                thrown = len(discards) if isinstance(discards, list) else value.get("cards")
                count = f", discards {NUMBERS[thrown]}" if isinstance(thrown, int) else ""
                amount = f" {value['amount']}" if "amount" in value else ""
                return f"{who} chooses {value['choose']}{amount}{count}"
            case "set":
                shown = " ".join(self._turned_up(move))
                return f"{who} sets the hand{': ' if shown else ''}{shown}"
            case "expose":
                return f"{who or 'the community cards'}: {' '.join(self._turned_up(move))}"
            case _:
                words = ", ".join(f"{key} {item}" for key, item in value.items())
                return f"{move.key.replace('_', ' ')}: {words}"

    def _trouble(self, outcome: Outcome) -> list[str]:
        told = []
        if outcome.irregularity:
            told.append(f"       ! {outcome.irregularity}: {outcome.remedy or 'no remedy'}. {outcome.message}".rstrip())
        fresh = [code for code in outcome.alarms if code not in self._alarms and code != outcome.irregularity]
        gone = [code for code in self._alarms if code not in outcome.alarms]
        told += [f"       ! alarm {code}. {outcome.message if code == outcome.alarm else ''}".rstrip() for code in fresh]
        told += [f"         alarm {code} is settled" for code in gone]
        self._alarms = outcome.alarms
        return told

    def _settled(self, outcome: Outcome) -> list[str]:
        told = []
        for key in sorted(outcome.results):
            line = f"       = {_hand(key)}: {_results(outcome, key)}"
            if self._results.get(key) != line:
                self._results[key] = line
                told.append(line)
        return told


def _rule(outcome: Outcome) -> str:
    standing = outcome.standing
    return f"{outcome.rule}, {standing}" if standing and standing != "law" else str(outcome.rule)


def _hand(key: str) -> str:
    return f"seat {key}" if key[0].isdigit() else key


def _results(outcome: Outcome, key: str) -> str:
    result, pays = outcome.results[key], outcome.pays.get(key, {})
    words = result if isinstance(result, str) else ", ".join(f"{wager} {word}" for wager, word in result.items())
    money = _money(result, pays)
    hand = f" ({outcome.hands[key]})" if key in outcome.hands else ""
    return f"{words}{money}{hand}"


def _money(result: str | dict[str, str], pays: str | dict[str, str]) -> str:
    """The sum where every wager's is known, else what is known of each."""
    if isinstance(pays, str):
        return f" {_signed(pays)}"
    wagers = set(result) if isinstance(result, dict) else set(pays)
    if pays and wagers == set(pays):
        return f" {_signed(str(sum(map(Decimal, pays.values()), Decimal())))}"
    return "".join(f" {wager} {_signed(net)}" for wager, net in pays.items())


def _signed(net: str) -> str:
    return net if net.startswith("-") or net == "0" else f"+{net}"
