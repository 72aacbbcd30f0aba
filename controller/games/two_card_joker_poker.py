"""Two-Card Joker Poker, N.J.A.C. 13:69F-30.

Two cards for each seat and the dealer from a deck with two jokers, which only make pairs. A seat wagers an ante, then calls with the same
amount or folds, or wagers on its own hand (pair up), or both; the dealer needs queen high. No text of the subchapter was reachable: the
game is the one of that name on a published rule sheet, its dealing that of sister games.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping

from controller.dealing.game import Game, Judged
from controller.dealing.round import DEALER, Round, Seat
from controller.dealing.settings import Plain, Setting, Settings
from controller.dealing.steps import Collect, Decide, ExposeCards, Method, Option, Remedy, Settle, Step, Stub, WagerKind, Who
from controller.decks import DeckSpec
from controller.games import common as c
from controller.games import own_hand as own
from controller.games import stud
from controller.games.pay import check_odds, odds_for
from controller.hands.two_card_joker import JokerHand, JokerHandKind, JokerRanking
from firmware_bridge.cards import Card

SIDE = "pair_up"
SHEET = c.parallel("published sheet", "one casino elsewhere, a game of this name")
MIDDLE = ("pair", "straight", "flush")
ORDERS = tuple("-".join(order) for order in itertools.permutations(MIDDLE))
NAMES = frozenset(kind.value for kind in JokerHandKind)


def _check_table(value: Plain) -> str:
    return check_odds(value, NAMES, "pair-of-jokers")


SETTINGS = (
    c.seats_setting(7, 1, 12, c.house("seats", "not reachable")),
    c.stub_every(c.analogy("35.9(e)")),
    c.TWO_DECKS,
    Setting(
        name="middle_order", default="-".join(MIDDLE), allowed=ORDERS,
        meaning="how pair, straight and flush rank below the straight flush, the best first",
        rule=c.house("middle_order", "the sheet lists them so and says no more"),
    ),
    Setting(
        name="ace_low", default=True, allowed=(True, False), meaning="ace and deuce are neighbours, the lowest straight",
        rule=c.house("ace_low", "not told; so 27.3(a) and 20.3(a) in sister games"),
    ),
    own.odds_setting(
        "call_table", {"pair-of-jokers": 8, "royal-flush": 5, "straight-flush": 3}, _check_table,
        "odds to one of a winning call by hand; even money for a hand that is not named", SHEET,
    ),
    own.odds_setting(
        "pair_up_table", {}, _check_table, "odds to one of the wager on the own hand; empty: settled outside of this record",
        c.house("pair_up_table", "odds were not reachable"),
    ),
    own.after_fold_setting(SIDE, own.STAYS, c.analogy("33.10(a)2", "kept under the optional wager")),
)  # fmt: skip


def _cards(settings: Settings) -> tuple[Step, ...]:
    return *stud.one_by_one(2, c.analogy("23.8(c)", "seat 1 first, clockwise, then the dealer")), Stub(rule=c.analogy("23.8(d)"))


def _stacks(settings: Settings) -> tuple[Step, ...]:
    return *stud.by_stacks(2, c.analogy("35.9(c)", "the stack is the hand, the dealer's last")), Stub(rule=c.analogy("35.9(d)"))


def _play(settings: Settings) -> tuple[Step, ...]:
    call = Option(choose="call", meaning="place the call wager and stay", places="call", size=c.times("ante", 1), rule=SHEET)
    return (
        Decide(options=(call, own.fold(settings, SIDE, SHEET)), asks=own.has_ante, rule=c.analogy("23.8(c)", "seat 1 first, clockwise")),
        ExposeCards(what=Who.DEALER, when=own.anything_open(settings, SIDE), rule=c.analogy("33.10(f)", "the dealer's cards first")),
        Settle(with_folded=own.kept_side(settings, SIDE), rule=c.analogy("34.12(h)", "from the dealer's right, counterclockwise")),
        Collect(rule=c.analogy("33.10(i)", "so that each hand can be rebuilt")),
    )


def _irregularities(method: Method) -> Mapping[str, Remedy]:
    wrong = Remedy("all-hands-void", c.memory("wrong number of cards"), "A wrong number of cards at any place: all hands void.")
    return stud.irregularities(method, more={"wrong-count-seat": wrong, "wrong-count-dealer": wrong, "too-few-cards": c.TOO_FEW})


# ---- settlement


def ranking(settings: Settings) -> JokerRanking:
    """The ranking as the house has set it."""
    middle = tuple(JokerHandKind(name) for name in settings.text("middle_order").split("-"))
    return JokerRanking(middle, settings.flag("ace_low"))


def _judge(settings: Settings, round_: Round) -> list[Judged]:
    dealer = round_.shown_cards(DEALER)
    rank = ranking(settings)
    judged = []
    for seat in own.to_judge(settings, SIDE, round_):
        slip = stud.Slip(seat)
        if seat.status == "folded":
            slip.lose("ante", SIDE)
        if not seat.exposed:
            judged.append(slip.judged(SHEET, "folded"))
        elif len(dealer) == 2:
            hand = rank.evaluate(c.kept_cards(seat))
            _settle(settings, slip, seat, hand, rank.evaluate(dealer))
            judged.append(slip.judged(SHEET, hand.text))
    return judged


def _settle(settings: Settings, slip: stud.Slip, seat: Seat, hand: JokerHand, dealer: JokerHand) -> None:
    if "call" in seat.wagers:
        plays = dealer.is_queen_high_or_better
        own.against_dealer(slip, "ante", "call", hand.value, dealer.value if plays else None)
        odds = odds_for(settings.table("call_table"), hand.kind.value)
        if plays and hand.value > dealer.value and odds is not None:
            slip.win("call", odds=odds)
    slip.by_table(SIDE, settings.table("pair_up_table"), hand.kind.value)


def _judge_void(settings: Settings, round_: Round) -> list[Judged]:
    def settle(slip: stud.Slip, cards: tuple[Card, ...]) -> None:
        if len(cards) == 2:
            slip.by_table(SIDE, settings.table("pair_up_table"), ranking(settings).evaluate(cards).kind.value)
        else:
            slip.unsettled(SIDE)

    return own.side_stands(settings, SIDE, round_, c.analogy("28.12(a)", "settled on the player's own cards"), settle)


GAME = Game(
    key="two-card-joker-poker",
    title="Two-Card Joker Poker",
    law="13:69F-30",
    summary="Two cards against the dealer's two from 54 cards; a joker only makes a pair; the dealer needs queen high.",
    settings=SETTINGS,
    wagers=(
        WagerKind(name="ante", opens=True, rule=SHEET, meaning="before the cards, against the dealer"),
        WagerKind(name=SIDE, opens=True, side=True, rule=SHEET, meaning="before the cards, on the own hand, with or without an ante"),
        WagerKind(name="call", before_deal=False, rule=SHEET, meaning="after the cards, equal to the ante"),
    ),
    deck=lambda settings: DeckSpec(decks=1, jokers=2),
    deals={Method.MANUAL_SHOE: _cards, Method.HAND: _cards, Method.AUTOMATED_SHOE: _stacks},
    play=_play,
    irregularities=_irregularities,
    judge=_judge,
    judge_void=_judge_void,
    stub=c.stub_check(c.analogy("35.9(e)")),
)
