"""What the stud and hold 'em games against a dealer or a posted table have in common.

Each deals the same few cards by one of three methods, asks its seats for one more wager or a fold, and settles from the dealer's right. A
game gives what differs: how many cards, to whom, its own rules, and how two hands compare.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from controller.dealing.game import Judged
from controller.dealing.round import HAND_KEYS, LIVE, Round, Seat
from controller.dealing.rules import Rule
from controller.dealing.settings import Plain, Setting, Settings
from controller.dealing.steps import Condition, Deal, Face, Method, Option, Remedy, Settle, Stack, Step, Wagers, Who
from controller.games import common as c
from controller.games.pay import Odds, odds_for, posted_pays
from controller.hands.poker import PokerHand

SEATS_AND_DEALER = (Who.WAGERED, Who.DEALER)

DEALER_SEEN = Remedy(
    "all-hands-void-side-bets-stand",
    c.analogy("28.12(a)"),
    "A dealer's card seen before all have decided: all hands void; side wagers are settled on the player's own cards.",
)
COMMUNITY_SEEN = Remedy(
    "all-hands-void-side-bets-stand",
    c.analogy("28.12(a)"),
    "A community card seen before all have decided: all hands void; side wagers are settled on the player's own cards.",
)

SETTLEMENT_PASSES = Setting(
    name="settlement_passes", default=1, between=(1, 2),
    meaning="1: each hand is settled before the next; 2: all losing wagers are taken first, then the winners are paid",
    rule=c.house("settlement_passes", "sister games differ: 13:69F-34.12(h) and 13:69F-21.8(l)"),
)  # fmt: skip


def one_by_one(passes: int, rule: Rule, to: tuple[Who, ...] = SEATS_AND_DEALER) -> tuple[Step, ...]:
    """Wagers, then so many passes of single cards, face down: seat 1 first, clockwise, the dealer last."""
    return Wagers(rule=c.NO_MORE_BETS), Deal(to=to, facing=(Face.DOWN,) * passes, rule=rule)


def by_stacks(size: int, rule: Rule, to: tuple[Who, ...] = SEATS_AND_DEALER) -> tuple[Step, ...]:
    """Wagers, then one stack of this size per place, face down: seat 1 first, clockwise, the dealer last."""
    return Wagers(rule=c.NO_MORE_BETS), Stack(to=to, size=size, facing=(Face.DOWN,) * size, rule=rule)


def fold(forfeits: tuple[str, ...], rule: Rule, *, stays_under: str | None = None, meaning: str = "") -> Option:
    """Giving up: the named wagers are lost and the cards go to the rack, unless a side wager keeps them."""
    words = meaning or f"give up the {' and the '.join(name.replace('_', ' ') for name in forfeits)}"
    return Option(choose="fold", meaning=words, status="folded", forfeits=forfeits, stays_under=stays_under, rule=rule)


def settle(settings: Settings, *, with_folded: str | None = None, when: Condition | None = None) -> Settle:
    """Hands are turned from the dealer's right and settled in one pass or in two, as the house has set it."""
    one = settings.number("settlement_passes") == 1
    rule = c.analogy("34.12(h)", "each hand before the next") if one else c.analogy("21.8(l)", "losing wagers first, then the winners")
    return Settle(with_folded=with_folded, when=when, passes=settings.number("settlement_passes"), rule=rule)


def irregularities(
    method: Method, *, dealer: bool = True, community: bool = False, more: Mapping[str, Remedy] | None = None
) -> dict[str, Remedy]:
    """The family's irregularity table. `more` holds rows of the game's own, which replace those of the family."""
    more = more or {}
    rows = {
        "card-face-up": c.ONE_FACE_UP,
        "cards-face-up": c.MORE_FACE_UP,
        "card-drawn-in-error": c.DRAWN_IN_ERROR,
        "wrong-count-seat": c.WRONG_COUNT,
        "shuffler-malfunction": c.SHUFFLER_FAILED,
        "duplicate-card": c.DECK_WRONG,
        "foreign-card": c.DECK_WRONG,
        "missing-card": c.DECK_WRONG,
    }
    if dealer:
        rows |= {"wrong-count-dealer": c.WRONG_COUNT, "dealer-card-exposed": DEALER_SEEN}
    if community:
        rows |= {"wrong-count-community": c.WRONG_COUNT, "community-card-exposed": COMMUNITY_SEEN}
    if method is Method.AUTOMATED_SHOE:
        rows |= {"wrong-stack-size": more.get("wrong-count-seat", c.WRONG_COUNT), "device-malfunction": c.SHOE_FAILED}
    return rows | dict(more)


def anyone_in(round_: Round) -> bool:
    """True while a seat is still in the round."""
    for seat in round_.seats.values():  # noqa: SIM110  # asked before most steps, and nearly always true of the first
        if seat.status in LIVE:
            return True
    return False


class Slip(msgspec.Struct, eq=False, gc=False):
    """The results of one hand while they are worked out, wager by wager; `judged` makes them a result."""

    seat: Seat
    results: dict[str, str] = {}
    pays: dict[str, int | None] = {}

    def has(self, wager: str) -> bool:
        """True when the seat has this wager."""
        return wager in self.seat.wagers

    def win(self, *wagers: str, odds: Odds | None = 1, parts: int = 1) -> None:
        """Those of the wagers that the seat has are paid `odds` to `parts`; odds None: the table does not say how much."""
        placed = self.seat.wagers
        for name in wagers:
            if name in placed:
                amount = placed[name]
                self.results[name] = "win"
                self.pays[name] = None if amount is None or odds is None else amount * odds // parts

    def lose(self, *wagers: str) -> None:
        """Those of the wagers that the seat has are lost."""
        placed = self.seat.wagers
        for name in wagers:
            if name in placed:
                amount = placed[name]
                self.results[name], self.pays[name] = "lose", None if amount is None else -amount

    def push(self, *wagers: str) -> None:
        """Those of the wagers that the seat has go back unpaid."""
        placed = self.seat.wagers
        for name in wagers:
            if name in placed:
                self.results[name], self.pays[name] = "push", None if placed[name] is None else 0

    def unsettled(self, *wagers: str) -> None:
        """Those of the wagers that the seat has are settled outside of this record."""
        for name in filter(self.has, wagers):
            self._set(name, "odds", None)

    def void(self, *wagers: str) -> None:
        """Those of the wagers that the seat has go back because the round is void."""
        for name in filter(self.has, wagers):
            self._set(name, "void", None if self.seat.wagers[name] is None else 0)

    def share(self, wager: str, amount: int | None) -> None:
        """A wager that went into a pot wins so much of it, its own stake included; None: an amount was not told."""
        placed = self.seat.wagers[wager]
        self._set(wager, "win", None if amount is None or placed is None else amount - placed)

    def by_table(self, wager: str, table: Mapping[str, Plain], hand: str) -> None:
        """A wager on the hand alone: paid by a table of odds to one, lost when the hand is not in it, `odds` without a table."""
        if not self.has(wager):
            return
        if not table:
            self._set(wager, "odds", None)
        elif (odds := odds_for(table, hand)) is None:
            self.lose(wager)
        else:
            self.win(wager, odds=odds)

    def posted(self, settings: Settings, hand: PokerHand, *wagers: str, at_minimum: int) -> None:
        """Those of the wagers that the seat has are settled by the posted odds of the hand; see `posted_pays`."""
        held = {name: self.seat.wagers[name] for name in filter(self.has, wagers)}
        results, pays = posted_pays(settings, held, hand, at_minimum=at_minimum)
        self.results |= results
        self.pays |= pays

    def bonus(self, wager: str, table: Mapping[str, Plain], hand: str, amount: int | None) -> None:
        """Something paid on top, measured by `amount` and named as if it were a wager; nothing when the hand is not in the table."""
        odds = odds_for(table, hand)
        if odds is not None:
            self._set(wager, "win", c.net(amount, odds))

    def _set(self, wager: str, result: str, pay: int | None) -> None:
        self.results[wager], self.pays[wager] = result, pay

    def judged(self, rule: Rule, hand: str = "") -> Judged:
        """The result of the hand."""
        return Judged(key=HAND_KEYS[self.seat.number], results=self.results, pays=self.pays, rule=rule, hand=hand)
