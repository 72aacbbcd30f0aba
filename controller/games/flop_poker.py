"""Flop Poker, N.J.A.C. 13:69F-29.

Three cards to each seat and a flop of three; a hand is all three own cards and exactly two of the flop. There is no dealer's hand: ante
and flop wager are paid by a table from a pair of jacks on, and the pot wagers go to the best hand at the table, folded ones included. Of
the subchapter only a fragment of 29.1 was read; wagers and odds are those of published sheets, the rest is drawn from sister games.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations

from controller.dealing.game import Game, Judged
from controller.dealing.round import COMMUNITY, Round, Seat, seat_place
from controller.dealing.settings import Plain, Setting, Settings
from controller.dealing.steps import (
    Burn,
    Collect,
    Deal,
    Decide,
    ExposeCards,
    Face,
    Method,
    Option,
    Remedy,
    Stack,
    Step,
    Stub,
    WagerKind,
    Wagers,
    Who,
)
from controller.decks import DeckSpec
from controller.games import common as c
from controller.games import stud as s
from controller.games.hold_em import BOARD_SEEN, WRONG_NUMBER
from controller.games.pay import RANKS, check_pay_table, odds_for, pair_reaches
from controller.hands.poker import PokerCategory, PokerHand, evaluate
from firmware_bridge.cards import UNREADABLE

SHEETS = c.parallel("published sheets", "three or four rule sheets agree")
DOWN3, UP3 = (Face.DOWN,) * 3, (Face.UP,) * 3
FLOP = 3
FLOP_TABLE: dict[str, Plain] = {
    "royal-flush": 1000, "straight-flush": 500, "four-of-a-kind": 100, "full-house": 30, "flush": 20, "straight": 11, "three-of-a-kind": 4,
    "two-pair": 2, "pair": 1,
}  # fmt: skip

SETTINGS = (
    c.seats_setting(7, 1, 7, c.house("seats", "not reachable")),
    c.stub_every(c.analogy("35.9(e)")),
    c.TWO_DECKS,
    Setting(
        name="flop_timing", default="last", allowed=("last", "each-pass", "after-decisions"),
        meaning="the flop comes last in the deal, face down; one card after each lap (not with stacks); or face up after the decisions",
        rule=c.house("flop_timing", "rule sheets disagree, sister games differ (13:69F-23.8(c))"),
    ),
    Setting(
        name="flop_burn", default=0, between=(0, 1), meaning="cards burned before a flop that does not come with the laps",
        rule=c.house("flop_burn", "not reachable"),
    ),
    Setting(
        name="stack_community", default="stack", allowed=("stack", "hand"),
        meaning="with an automated shoe the flop is a further stack, or is dealt by hand from the rest (so too after a burn)",
        rule=c.house("stack_community", "either agrees with a sister game (13:69F-35.9(d))"),
    ),
    Setting(
        name="flop_table", default=dict(FLOP_TABLE), check=check_pay_table,
        meaning="odds to one of the flop wager by hand; a hand that is not named loses; empty: results say the hand",
        rule=c.parallel("published sheets", "one sheet pays a straight 10 to 1"),
    ),
    Setting(name="lowest_paid_pair", default="J", allowed=tuple(RANKS), meaning="rank of the lowest pair that wins", rule=SHEETS),
    Setting(
        name="odd_chips", default="first-from-right", allowed=("first-from-right", "house"),
        meaning="who gets cents of the pot that do not divide among equal hands", rule=c.house("odd_chips", "no text says more"),
    ),
    s.SETTLEMENT_PASSES,
)  # fmt: skip


def _flop(settings: Settings) -> str:
    return settings.text("flop_timing")


def _flop_cards(settings: Settings, facing: tuple[Face, ...]) -> tuple[Step, ...]:
    """The burn, where the house has one, the three cards, and the stub."""
    burned = settings.number("flop_burn")
    burn = (Burn(cards=burned, rule=c.house("flop_burn")),) if burned else ()
    flop = Deal(to=(Who.COMMUNITY,), facing=facing, rule=c.house("flop_timing"))
    return *burn, flop, Stub(rule=c.analogy("35.9(d)"))


def _cards(settings: Settings) -> tuple[Step, ...]:
    rule = c.analogy("23.8(c)", "one card at a time, seat 1 first, clockwise")
    wagers = Wagers(rule=c.NO_MORE_BETS)
    if _flop(settings) == "each-pass":
        return wagers, Deal(to=(Who.WAGERED, Who.COMMUNITY), facing=DOWN3, rule=rule), Stub(rule=c.analogy("23.8(d)"))
    seats = Deal(to=(Who.WAGERED,), facing=DOWN3, rule=rule)
    return wagers, seats, *(_flop_cards(settings, DOWN3) if _flop(settings) == "last" else ())


def _stacks(settings: Settings) -> tuple[Step, ...]:
    rule = c.analogy("35.9(c)", "the stack is the player's hand; the flop is exactly one more")
    wagers = Wagers(rule=c.NO_MORE_BETS)
    after = _flop(settings) == "after-decisions"
    if not after and settings.text("stack_community") == "stack" and not settings.number("flop_burn"):
        return wagers, Stack(to=(Who.WAGERED, Who.COMMUNITY), size=3, facing=DOWN3, rule=rule), Stub(rule=c.analogy("35.9(d)"))
    seats = Stack(to=(Who.WAGERED,), size=3, facing=DOWN3, rule=rule)
    return wagers, seats, *(() if after else _flop_cards(settings, DOWN3))


def _play(settings: Settings) -> tuple[Step, ...]:
    flop = Option(choose="flop", meaning="place the flop wager and stay", places="flop", size=c.times("ante", 1), rule=SHEETS)
    fold = s.fold(("ante",), SHEETS, stays_under="pot", meaning="give up the ante; the cards stay, face down, and compete for the pot")
    turned = ExposeCards(what=Who.COMMUNITY, rule=SHEETS)
    return (
        Decide(options=(flop, fold), rule=c.analogy("28.10(a)", "seat 1 first, clockwise")),
        *(_flop_cards(settings, UP3) if _flop(settings) == "after-decisions" else (turned,)),
        s.settle(settings, with_folded="pot"),
        Collect(rule=c.analogy("33.10(i)", "so that each hand can be rebuilt")),
    )


def _irregularities(method: Method) -> Mapping[str, Remedy]:
    more = {
        "wrong-count-seat": WRONG_NUMBER,
        "wrong-count-community": WRONG_NUMBER,
        "community-card-exposed": BOARD_SEEN,
        "too-few-cards": c.TOO_FEW,
    }
    return s.irregularities(method, dealer=False, community=True, more=more)


# ---- settlement


def _judge(settings: Settings, round_: Round) -> list[Judged]:
    """Ante and flop wager as each hand is read, the pot when all of them are."""
    seats = [seat for _, seat in sorted(round_.seats.items()) if seat.status in ("", "folded")]
    hands = {seat.number: hand for seat in seats if (hand := best_hand(round_, seat)) is not None}
    shares = _pot(settings, round_, hands) if hands and len(hands) == len(seats) else None
    judged = []
    for seat in seats:
        hand = hands.get(seat.number)
        slip = s.Slip(seat)
        if not seat.live:
            slip.lose("ante")
        elif hand is None:
            continue
        else:
            _by_table(settings, slip, hand)
        if shares is not None and seat.number in shares:
            slip.share("pot", shares[seat.number])
        elif shares is not None:
            slip.lose("pot")
        judged.append(slip.judged(SHEETS, hand.text if hand is not None else "folded"))
    return judged


def best_hand(round_: Round, seat: Seat) -> PokerHand | None:
    """All three own cards and the best two of the flop; None until both lie open."""
    board = round_.shown_cards(COMMUNITY)
    own = round_.cards_at(seat_place(seat.number), "exposed for the comparison") if seat.exposed else ()
    if len(own) != 3 or len(board) != FLOP or UNREADABLE in own + board:
        return None
    return max((evaluate((*own, *two)) for two in combinations(board, 2)), key=lambda hand: hand.value)


def _by_table(settings: Settings, slip: s.Slip, hand: PokerHand) -> None:
    low_pair = hand.category is PokerCategory.PAIR and not pair_reaches(hand, settings.text("lowest_paid_pair"))
    table = settings.table("flop_table")
    odds = odds_for(table, hand.category.value)
    if hand.category is PokerCategory.HIGH_CARD or low_pair or (table and odds is None):
        slip.lose("ante", "flop")
    else:
        slip.win("ante")
        slip.win("flop", odds=odds)


def _pot(settings: Settings, round_: Round, hands: Mapping[int, PokerHand]) -> dict[int, int | None]:
    """What each winner gets out of the pot, in cents; None where an amount was not told."""
    best = max(hand.value for hand in hands.values())
    winners = [number for number in sorted(hands, reverse=True) if hands[number].value == best]
    amounts = [seat.wagers.get("pot") for seat in round_.seats.values()]
    known = [amount for amount in amounts if amount is not None]
    if len(known) != len(amounts):
        return dict.fromkeys(winners)
    each, odd = divmod(sum(known), len(winners))
    shares: dict[int, int | None] = dict.fromkeys(winners, each)
    if settings.text("odd_chips") == "first-from-right":
        shares[winners[0]] = each + odd
    return shares


GAME = Game(
    key="flop-poker",
    title="Flop Poker",
    law="13:69F-29",
    summary="Three own cards and exactly two of a flop of three against posted odds, and a pot for the best hand, folded ones included.",
    settings=SETTINGS,
    wagers=(
        WagerKind(name="ante", required=True, rule=c.law("29.1"), meaning="before the cards, about the player's own hand"),
        WagerKind(name="pot", required=True, alike=True, rule=SHEETS, meaning="before the cards, the table's minimum, the same for all"),
        WagerKind(name="flop", before_deal=False, rule=SHEETS, meaning="after the three own cards, equal to the ante"),
    ),
    deck=lambda settings: DeckSpec(decks=1),
    deals={Method.MANUAL_SHOE: _cards, Method.HAND: _cards, Method.AUTOMATED_SHOE: _stacks},
    play=_play,
    irregularities=_irregularities,
    judge=_judge,
    stub=c.stub_check(c.analogy("35.9(e)")),
    cards_needed=lambda settings, seats: 3 * seats + FLOP + settings.number("flop_burn"),
)
