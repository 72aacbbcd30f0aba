"""Human errors: what people at a table do wrong, seeded.

Each slip is a move that a person could really make: out of turn, the wrong word, a wrong amount, a wrong count, a card
turned too early, or a report of an irregularity. The table refuses it or follows its irregularity table; play goes on.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Final

from controller.table.outcome import Outcome
from hil.people.moves import Move
from hil.people.people import SUPERVISOR, People

REPORTS: Final = (
    {"what": "dealer-card-exposed"},
    {"what": "community-card-exposed"},
    {"what": "player-card-exposed", "seat": 1},
    {"what": "card-drawn-in-error"},
    {"what": "card-drawn-in-error", "shown": True},
    {"what": "wrong-count", "seat": 1, "cards": 5},
    {"what": "wrong-count", "seat": "dealer", "cards": 1},
    {"what": "wrong-count", "area": "community", "cards": 2},
    {"what": "wrong-set", "seat": 2},
    {"what": "wrong-start"},
    {"what": "wrong-place"},
    {"what": "hand-fouled", "seat": 2},
    {"what": "cleared-early", "seat": 1},
    {"what": "invalid-roll"},
    {"what": "hands-counted-right"},
    {"what": "nothing-of-the-kind"},
)
CHOICES: Final = ("bet", "fold", "hit", "double", "surrender", "split", "natural", "raise", "none", "draw")
SOME_CARDS: Final = ("As", "9h", "2c", "Jk")


class Slips:
    """Makes a slip at this rate before any act."""

    def __init__(self, rng: random.Random, rate: float, *, reports: bool = True) -> None:
        self.rng = rng
        self.rate = rate
        self._kinds: list[Callable[[People], Move]] = [
            self._wager,
            self._decide,
            self._set,
            self._expose,
            self._count,
            self._collect,
            self._close_bets,
            self._start,
            self._declare,
            self._resolve,
            self._rescan,
            self._card_handling,
            self._look,
        ]
        if reports:
            self._kinds.append(self._report)

    def maybe_slip(self, people: People, outcome: Outcome) -> Move | None:
        """Return a slip, or None most of the time."""
        if outcome.state == "closed" or self.rng.random() >= self.rate:
            return None
        return self.rng.choice(self._kinds)(people)

    def _seat(self, people: People) -> int:
        return self.rng.randint(1, people.procedure.seats + 2)

    def _wager(self, people: People) -> Move:
        name = self.rng.choice(("ante", "wager", "supreme_pai_gow", "bonus", "bet", "side"))
        return Move("wager", {"seat": self._seat(people), name: self.rng.choice((0, 5, "7.25"))}, why="wager")

    def _decide(self, people: People) -> Move:
        value: dict[str, object] = {"seat": self._seat(people), "choose": self.rng.choice(CHOICES)}
        if self.rng.random() < 0.3:
            value["amount"] = self.rng.choice((1, 10, 33))
        if self.rng.random() < 0.1:
            value["cards"] = self.rng.choice((0, 1, 6))
        if self.rng.random() < 0.3:
            value[self.rng.choice(("keep", "discard"))] = self.rng.sample(SOME_CARDS, self.rng.randint(1, 3))
        return Move("decide", value, why="decision")

    def _set(self, people: People) -> Move:
        seat = self.rng.choice((self._seat(people), "dealer"))
        value: dict[str, object] = {"seat": seat}
        if self.rng.random() < 0.5:
            value["keep"] = self.rng.sample(SOME_CARDS, 2)
        return Move("set", value, why="set")

    def _expose(self, people: People) -> Move:
        match self.rng.randrange(3):
            case 0:
                return Move("expose", {"seat": "dealer"}, why="exposed too early")
            case 1:
                return Move("expose", {"community": [self.rng.randint(1, 6)]}, why="exposed too early")
            case _:
                return Move("expose", {"seat": self._seat(people)}, why="exposed out of turn")

    def _count(self, people: People) -> Move:
        return Move("stub_count", self.rng.randint(0, 52), why="wrong count")

    def _collect(self, people: People) -> Move:
        return Move("collect", self.rng.choice((True, "discards")), why="collected early")

    def _close_bets(self, people: People) -> Move:
        return Move("close_bets", True, why="no more bets, again")

    def _start(self, people: People) -> Move:
        starts: tuple[dict[str, object], ...] = ({"dice": 2}, {"button": 3}, {"seat": "dealer"}, {"number": 99})
        return Move("start", self.rng.choice(starts), why="start")

    def _declare(self, people: People) -> Move:
        result = self.rng.choice(("win", "lose", "push", "tie"))
        return Move("declare", {"seat": self._seat(people), "result": result}, why="declared")

    def _resolve(self, people: People) -> Move:
        by = self.rng.choice(("dealer:D1", SUPERVISOR))
        return Move("resolve", {"choose": self.rng.choice(("continue", "recount", "hand-dead"))}, by, why="resolved")

    def _rescan(self, people: People) -> Move:
        return Move("rescan", " ".join(self.rng.sample(SOME_CARDS, 3)), why="rescanned")

    def _card_handling(self, people: People) -> Move:
        key = self.rng.choice(("remove_card", "replace_card"))
        return Move(key, {"card": self.rng.choice(SOME_CARDS), "reason": "slip"}, SUPERVISOR, why="card handling")

    def _look(self, people: People) -> Move:
        return Move("hole_check", {"blackjack": self.rng.random() < 0.3}, why="looked at the hole card")

    def _report(self, people: People) -> Move:
        return Move("report", dict(self.rng.choice(REPORTS)), why="report")
