"""Texas Hold 'Em Bonus Poker, N.J.A.C. 13:69F-28.

Two cards each to players and dealer, five community cards, the best five of seven against the dealer's. The flop wager (or a fold) comes
before the flop, turn and river wagers (or a check) after it; the bonus wager stands on the two own cards. Read in law are the openings of
28.1 to 28.13; sizes, order of settlement and pay tables come from published sheets and sister games, and say so.
"""

from __future__ import annotations

from collections.abc import Mapping

from controller.dealing.game import Game, Judged
from controller.dealing.round import DEALER, SEAT_PLACES, Round
from controller.dealing.settings import Setting, Settings
from controller.dealing.steps import Collect, Decide, ExposeCards, Method, Option, Remedy, Settle, Step, Stub, WagerKind, Who
from controller.decks import DeckSpec
from controller.games import common as c
from controller.games import hold_em as h
from controller.games import own_hand as own
from controller.games import stud as s
from controller.games.hole_cards import check_hole_table
from controller.hands.poker import CATEGORIES, LOWEST, PokerHand, describe

SHEETS = c.parallel("published sheets", "seven rule sheets of casinos agree")
SIDE = "bonus"
AFTER = ("flop", "turn", "river")
"""Wagers placed after the first two cards, each paid at even money."""
BONUS_TABLE = {
    "A-A-both": 1000, "A-A": 30, "A-K-suited": 25, "A-Q-suited": 20, "A-J-suited": 20, "A-K-unsuited": 15, "K-K": 10, "Q-Q": 10, "J-J": 10,
    "A-Q-unsuited": 5, "A-J-unsuited": 5, "pair": 3,
}  # fmt: skip

SETTINGS = (
    c.seats_setting(6, 1, 7, c.house("seats", "not reachable; nobody wagers on more than one position: 28.13")),
    c.stub_every(c.analogy("23.8(e)")),
    Setting(
        name="two_decks", default=False, allowed=(False, True), meaning=c.TWO_DECKS.meaning,
        rule=c.law("28.2(b)", "a second deck if an automated shuffler is used"),
    ),
    Setting(
        name="ante_pays_from", default="flush", allowed=tuple(category.value for category in CATEGORIES[:-1]),
        meaning="the lowest winning hand with which the ante is paid; below it a winning ante goes back",
        rule=c.parallel("published sheets", "a flush in Atlantic City, a straight elsewhere"),
    ),
    Setting(
        name="equal_hands", default="push", allowed=("push", "lose"), meaning="what the wagers of a hand equal to the dealer's do",
        rule=c.parallel("published sheets", "five sheets say push, one says that the dealer wins"),
    ),
    Setting(
        name="bonus_table", default=dict(BONUS_TABLE), check=check_hole_table,
        meaning="odds to one of the bonus wager by the two own cards; empty: settled outside of this record",
        rule=c.parallel("published sheets", "two casinos; the NJ table was not reachable"),
    ),
    own.after_fold_setting(SIDE, own.STAYS, c.analogy("33.10(a)2", "one casino takes ante and bonus")),
)  # fmt: skip


def _cards(settings: Settings) -> tuple[Step, ...]:
    return s.one_by_one(2, c.analogy("23.8(c)", "seat 1 first, clockwise, then the dealer"))


def _stacks(settings: Settings) -> tuple[Step, ...]:
    return s.by_stacks(2, c.law("28.9(a)", "order by 35.9(c), the dealer last"))


def _play(settings: Settings) -> tuple[Step, ...]:
    flop = Option(
        choose="flop", meaning="place the flop wager and stay in", places="flop", size=c.times("ante", 2, SHEETS), rule=c.law("28.10(a)"),
    )  # fmt: skip
    fold, open_hands = own.fold(settings, SIDE, c.law("28.10(a)")), own.anything_open(settings, SIDE)
    return (
        Decide(options=(flop, fold), rule=c.law("28.10(a)", "clockwise order by the uniform pattern")),
        *h.board(3, c.parallel("PA 647a.1"), c.parallel("PA 647a.1", "the next card to the rack, unseen")),
        Decide(options=_wager_or_check("turn"), when=s.anyone_in, rule=SHEETS),
        *h.board(1, c.parallel("PA 647a.1"), c.analogy("14.10(g)")),
        Decide(options=_wager_or_check("river"), when=s.anyone_in, rule=SHEETS),
        *h.board(1, c.parallel("PA 647a.1"), c.analogy("14.10(g)")),
        Stub(rule=c.analogy("35.9(d)")),
        ExposeCards(what=Who.DEALER, when=open_hands, rule=c.analogy("33.10(f)")),
        Settle(with_folded=own.kept_side(settings, SIDE), when=open_hands, rule=c.analogy("33.10(f)", "right first, counterclockwise")),
        Collect(rule=c.analogy("21.8(o)", "so that each hand can be rebuilt")),
    )


def _wager_or_check(name: str) -> tuple[Option, ...]:
    wager = Option(choose=name, meaning=f"place the {name} wager", places=name, size=c.times("ante", 1), rule=SHEETS)
    return wager, h.check(SHEETS)


def _irregularities(method: Method) -> Mapping[str, Remedy]:
    seen = Remedy(
        s.DEALER_SEEN.remedy,
        c.law("28.12(a)"),
        "A dealer's card seen before all have decided: all hands void; a bonus wager is settled on the player's own cards.",
    )
    return s.irregularities(method, more={"dealer-card-exposed": seen})


# ---- settlement


def _judge(settings: Settings, round_: Round) -> list[Judged]:
    side = own.kept_side(settings, SIDE)
    seats = h.seats_to_judge(round_, side or "")
    board = h.open_board(round_) if seats else ()
    dealer = h.best_dealer(round_, board)
    judged = []
    for seat in seats:
        slip = s.Slip(seat)
        if seat.status:
            slip.lose("ante", *(() if side else (SIDE,)))
            text, rule = "folded", c.law("28.10(a)")
        elif dealer is None or (hand := h.best_hand(round_, SEAT_PLACES[seat.number], board)) is None:
            continue
        else:
            _compare(settings, slip, hand, dealer)
            text, rule = describe(hand.value), SHEETS
        if seat.exposed and slip.has(SIDE):
            table = settings.table("bonus_table")
            h.settle_on_hole_cards(slip, SIDE, table, h.own_cards(round_, seat), round_.shown_cards(DEALER))
        judged.append(slip.judged(rule, text))
    return judged


def _compare(settings: Settings, slip: s.Slip, hand: PokerHand, dealer: PokerHand) -> None:
    if hand.value > dealer.value:
        slip.win(*AFTER)
        (slip.win if hand.value >= LOWEST[settings.text("ante_pays_from")] else slip.push)("ante")
    elif hand.value == dealer.value and settings.text("equal_hands") == "push":
        slip.push("ante", *AFTER)
    else:
        slip.lose("ante", *AFTER)


def _judge_void(settings: Settings, round_: Round) -> list[Judged]:
    table = settings.table("bonus_table")
    rule = c.law("28.12(a)", "settled on the player's own cards")
    return own.side_stands(settings, SIDE, round_, rule, lambda slip, cards: h.settle_on_hole_cards(slip, SIDE, table, cards))


GAME = Game(
    key="texas-hold-em-bonus-poker",
    title="Texas Hold 'Em Bonus Poker",
    law="13:69F-28",
    summary="Two own cards and five on the board against the dealer; flop, turn and river wagers; a bonus on the own cards.",
    settings=SETTINGS,
    wagers=(
        WagerKind(name="ante", required=True, rule=c.law("28.1"), meaning="before the cards"),
        WagerKind(name=SIDE, side=True, rule=c.law("28.12(a)"), meaning="optional, before the cards: on the two own cards"),
        WagerKind(name="flop", before_deal=False, rule=c.law("28.10(a)"), meaning="after the two own cards, before the flop"),
        WagerKind(name="turn", before_deal=False, rule=c.law("28.12(a)"), meaning="after the flop"),
        WagerKind(name="river", before_deal=False, rule=c.law("28.12(a)"), meaning="after the turn"),
    ),
    deck=lambda settings: DeckSpec(decks=1),
    deals={Method.MANUAL_SHOE: _cards, Method.HAND: _cards, Method.AUTOMATED_SHOE: _stacks},
    play=_play,
    irregularities=_irregularities,
    judge=_judge,
    judge_void=_judge_void,
    stub=c.stub_check(c.analogy("23.8(e)")),
    compared="flop",
    cards_needed=lambda settings, seats: 2 * (seats + 1) + 8,
)
