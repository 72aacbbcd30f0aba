"""What a demonstration prints: one line for each act, with where it went, what it rests on, and what came of it.

Only outcomes are read, and an outcome is public: no line tells a card that the procedure has not shown. What a person
chose is told without the cards that lie face down.
"""

from __future__ import annotations

from typing import Final

from controller.table.outcome import Outcome
from hil.endtoend.daemon import Entry

WORDS: Final = {
    "open": "the table opens",
    "close": "the table closes",
    "close_bets": "no more bets",
    "collect": "the cards are picked up",
    "expose": "turned face up",
    "set": "a hand is set",
    "declare": "the result is declared",
    "load": "cards are put in",
    "shuffle": "a shuffle is done",
    "shuffle_aborted": "a shuffle is broken off",
    "card": "a card",
    "stack": "a stack",
    "cut_card": "the cutting card",
    "stub_count": "the stub is counted",
    "wager": "a wager",
    "start": "the first position",
    "decide": "a decision",
    "report": "an irregularity is reported",
    "resolve": "an alarm is settled",
    "device": "a word of the device",
}


class Teller:
    """Makes lines of entries, and remembers what was told already."""

    def __init__(self) -> None:
        self._round = 0
        self._results: dict[str, str] = {}
        self._alarms: tuple[str, ...] = ()

    def lines(self, entry: Entry) -> list[str]:
        """Return the lines of one journalled act."""
        outcome = entry.outcome
        told: list[str] = []
        if outcome.round != self._round:
            self._round = outcome.round
            self._results = {}
            told.append(f"---- round {outcome.round}")
        told.append(self._act_line(entry))
        told += self._trouble(outcome)
        told += self._settled(outcome)
        return told

    def _act_line(self, entry: Entry) -> str:
        outcome = entry.outcome
        what = WORDS.get(entry.act, entry.act.replace("_", " "))
        where = f" to {outcome.to}" if outcome.to else ""
        face = f", face {outcome.face}" if outcome.face else ""
        card = f": {outcome.card}" if outcome.card else ""
        text = f"{what}{where}{face}{card}"
        rule = f"  [{_rule(outcome)}]" if outcome.rule else ""
        return f"{entry.entry:5}  {entry.by:<16} {text:<44} {outcome.state:<10} gate {outcome.gate:<6}{rule}"

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
    nets = {"": pays} if isinstance(pays, str) else {f"{wager} ": net for wager, net in pays.items()}
    money = "".join(f" {wager}{_signed(net)}" for wager, net in nets.items())
    hand = f" ({outcome.hands[key]})" if key in outcome.hands else ""
    return f"{words}{money}{hand}"


def _signed(net: str) -> str:
    return net if net.startswith("-") or net == "0" else f"+{net}"
