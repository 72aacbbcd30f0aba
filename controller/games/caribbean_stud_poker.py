"""Caribbean Stud Poker, N.J.A.C. 13:69F-16.

Five cards for each seat and the dealer, one of the dealer's face up; a seat bets exactly twice its ante or folds. The dealer's hand counts
only with ace and king or better. A side wager of one unit feeds a progressive meter. Read in law: 69E-1.13G (the table). Deal, decisions,
odds and irregularities come from rule sheets and sister games, and say so.

What the meter stands at is not known here, so a share of it is told and not counted.
"""

from __future__ import annotations

import re
from typing import Final

from controller.dealing.game import Game, Judged
from controller.dealing.round import DEALER, Round, Seat, seat_place
from controller.dealing.settings import Plain, Setting, Settings, nearest, shown
from controller.dealing.sizes import Size
from controller.dealing.steps import (
    Collect,
    Deal,
    Decide,
    ExposeCards,
    Face,
    Method,
    Option,
    Settle,
    Step,
    Stub,
    WagerKind,
    Who,
)
from controller.decks import DeckSpec
from controller.games import common as c
from controller.games import stud
from controller.games.pay import HAND_NAMES, at_most, check_pay_table, odds_for
from controller.hands.poker import PokerCategory, PokerHand, evaluate
from firmware_bridge.cards import UNREADABLE

SHEETS = c.parallel("casino rule sheets")
METER = "progressive"
ONE_UNIT: Final = 100
"""Cents: the acceptor takes one currency unit."""
_SHARE: Final = re.compile(r"(100|[1-9]?\d)%")
BET_TABLE: Final[dict[str, Plain]] = {
    "royal-flush": 100, "straight-flush": 50, "four-of-a-kind": 20, "full-house": 7, "flush": 5, "straight": 4, "three-of-a-kind": 3,
    "two-pair": 2,
}  # fmt: skip


def check_sums(value: Plain) -> str:
    """Why a table of progressive payments cannot be used; empty when it can."""
    if not isinstance(value, dict):
        return 'it is a table of sums by hand, such as { full-house = 100, royal-flush = "100%" }'
    for hand, paid in value.items():
        if hand not in HAND_NAMES:
            return f"there is no hand '{shown(hand)}'{nearest(hand, sorted(HAND_NAMES))}"
        is_sum = isinstance(paid, int) and not isinstance(paid, bool) and paid >= 0
        if not is_sum and not (isinstance(paid, str) and _SHARE.fullmatch(paid)):
            return f"what {hand} is paid is '{shown(paid)}'; write a sum in whole currency units, or a share of the meter such as \"10%\""
    return ""


SETTINGS = (
    c.seats_setting(7, 6, 7, c.law_69e("1.13G(a)", "six or seven betting positions")),
    c.stub_every(c.analogy("35.9(e)")),
    c.TWO_DECKS,
    Setting(
        name="bet_table", default=dict(BET_TABLE), check=check_pay_table,
        meaning="odds to one of a winning bet by hand; even money for a hand that is not named", rule=SHEETS,
    ),
    Setting(
        name="payout_limit", default=5_000, between=(1, 100_000_000), meaning="the most that one bet wins, in whole currency units",
        rule=c.law_69e("1.13G(c)", "whether it is by hand or by wager is not told"),
    ),
    Setting(
        name="progressive_table", default={}, check=check_sums, unit="currency units",
        meaning='sums in whole currency units by hand, or shares of the meter such as "10%"; empty: settled outside of this record',
        rule=c.house("progressive_table", "the sums were not reachable"),
    ),
)  # fmt: skip


def _cards(settings: Settings) -> tuple[Step, ...]:
    rule = c.analogy("23.8(c)", "seat 1 first, clockwise, then the dealer")
    last = c.parallel("Colorado rule", "a second-hand copy: the dealer's fifth card goes face up")
    return (
        *stud.one_by_one(4, rule),
        Deal(to=(Who.WAGERED,), facing=(Face.DOWN,), rule=rule),
        Deal(to=(Who.DEALER,), facing=(Face.UP,), rule=last),
        Stub(rule=c.analogy("23.8(d)")),
    )


def _stacks(settings: Settings) -> tuple[Step, ...]:
    bottom = c.parallel("Colorado rule", "a second-hand copy: the bottom card of the dealer's stack; in New Jersey not known")
    return (
        *stud.by_stacks(5, c.analogy("35.9(c)", "the stack is the hand, the dealer's last")),
        ExposeCards(what=Who.DEALER, cards=(5,), rule=bottom),
        Stub(rule=c.analogy("35.9(d)")),
    )


def _play(settings: Settings) -> tuple[Step, ...]:
    bet = Option(choose="bet", meaning="place the bet wager and stay", places="bet", size=c.times("ante", 2), rule=SHEETS)
    fold = stud.fold(("ante", METER), SHEETS, meaning="give up the ante, and a progressive wager with it")
    return (
        Decide(options=(bet, fold), rule=c.analogy("33.10(a)3")),
        ExposeCards(what=Who.DEALER, when=stud.anyone_in, rule=c.analogy("33.10(a)", "not before every seat has decided")),
        Settle(rule=c.analogy("21.8(k)", "right first, counterclockwise")),
        Collect(rule=c.analogy("21.8(o)", "so that each hand can be rebuilt")),
    )


# ---- settlement


def qualifies(dealer: PokerHand) -> bool:
    """Ace and king, or any pair or better."""
    return dealer.category is not PokerCategory.HIGH_CARD or [card.rank for card in dealer.cards[:2]] == [1, 13]


def _judge(settings: Settings, round_: Round) -> list[Judged]:
    dealer = round_.shown_cards(DEALER)
    judged = []
    for number, seat in sorted(round_.seats.items()):
        slip = stud.Slip(seat)
        if str(number) in round_.results:
            continue
        if seat.status == "folded":
            slip.lose("ante", METER)
            judged.append(slip.judged(SHEETS, "folded"))
        elif seat.live and seat.exposed and len(dealer) == 5:
            hand = evaluate(c.kept_cards(seat))
            _settle(settings, slip, seat, hand, evaluate(dealer))
            judged.append(slip.judged(SHEETS, hand.text))
    return judged


def _settle(settings: Settings, slip: stud.Slip, seat: Seat, hand: PokerHand, dealer: PokerHand) -> None:
    if not qualifies(dealer):
        slip.win("ante")
        slip.push("bet")
    elif hand.value > dealer.value:
        odds = odds_for(settings.table("bet_table"), hand.category.value)
        slip.win("ante")
        slip.win("bet", odds=1 if odds is None else odds)
        slip.pays |= at_most({"bet": slip.pays["bet"]}, settings.number("payout_limit") * 100)
    elif hand.value == dealer.value:
        slip.push("ante", "bet")
    else:
        slip.lose("ante", "bet")
    _settle_meter(settings, slip, seat, hand)


def _settle_meter(settings: Settings, slip: stud.Slip, seat: Seat, hand: PokerHand) -> None:
    """The progressive wager is the meter's whatever comes; a paid hand wins the sum less the wager."""
    if not slip.has(METER):
        return
    table = settings.table("progressive_table")
    paid, placed = table.get(hand.category.value), seat.wagers[METER]
    if not table:
        slip.unsettled(METER)
    elif paid is None:
        slip.lose(METER)
    else:
        slip.win(METER, odds=None)
        if isinstance(paid, int) and placed is not None:
            slip.pays[METER] = paid * 100 - placed


def _judge_void(settings: Settings, round_: Round) -> list[Judged]:
    judged = []
    for number, seat in sorted(round_.seats.items()):
        slip = stud.Slip(seat)
        if not slip.has(METER) or seat.status not in ("", "folded"):
            continue
        slip.void(*(name for name in seat.wagers if name != METER))
        cards = round_.cards_at(seat_place(number), "the progressive wager stands on the player's own cards")
        if seat.status == "folded":  # its cards are in the rack: there is no hand that the wager could stand on
            slip.void(METER)
        elif len(cards) == 5 and UNREADABLE not in cards:
            _settle_meter(settings, slip, seat, evaluate(cards))
        else:
            slip.unsettled(METER)
        judged.append(slip.judged(c.analogy("28.12(a)", "treated by itself"), "void"))
    return judged


GAME = Game(
    key="caribbean-stud-poker",
    title="Caribbean Stud Poker",
    law="13:69F-16",
    summary="Five cards against the dealer's five, one of them up; bet twice the ante or fold; the dealer needs ace and king.",
    settings=SETTINGS,
    wagers=(
        WagerKind(name="ante", required=True, rule=c.memory("ante", "placed before the deal"), meaning="before the cards"),
        WagerKind(
            name=METER,
            side=True,
            size=Size(fixed=ONE_UNIT),
            rule=c.memory("progressive wager", "one unit, with an ante"),
            meaning="optional, one unit into the acceptor",
        ),
        WagerKind(name="bet", before_deal=False, rule=SHEETS, meaning="after the cards, twice the ante"),
    ),
    deck=lambda settings: DeckSpec(decks=1),
    deals={Method.MANUAL_SHOE: _cards, Method.HAND: _cards, Method.AUTOMATED_SHOE: _stacks},
    play=_play,
    irregularities=stud.irregularities,
    judge=_judge,
    judge_void=_judge_void,
    stub=c.stub_check(c.analogy("35.9(e)")),
)
