"""Three-Card Poker, N.J.A.C. 13:69F-20.

Three cards for each seat and the dealer. A seat wagers against the dealer (ante, then play or fold), on its own three cards (pair plus),
or both; with pair plus alone it is asked nothing. Read in law: the ranking of 20.3. Stack, order, irregularities and pay tables come from
sister games and from casinos' rule sheets, and say so.
"""

from __future__ import annotations

from controller.dealing.game import Game, Judged
from controller.dealing.round import DEALER, Round, Seat
from controller.dealing.settings import Settings
from controller.dealing.steps import Collect, Decide, ExposeCards, Method, Option, Settle, Step, Stub, WagerKind, Who
from controller.decks import DeckSpec
from controller.games import common as c
from controller.games import own_hand as own
from controller.games import stud
from controller.games.pay import check_three_card_table, three_card_name
from controller.hands.three_card import ThreeCardHand, evaluate_three
from firmware_bridge.cards import Card

SHEETS = c.parallel("casino rule sheets")
SIDE = "pair_plus"

SETTINGS = (
    c.seats_setting(7, 1, 16, c.house("seats", "not reachable; sixteen seats and the dealer take 51 cards")),
    c.stub_every(c.analogy("35.9(e)")),
    c.TWO_DECKS,
    own.odds_setting(
        "pair_plus_table",
        {"straight-flush": 40, "three-of-a-kind": 30, "straight": 6, "flush": 4, "pair": 1},
        check_three_card_table,
        "odds to one of pair plus by hand; empty: settled outside of this record",
        c.parallel("casino rule sheets", "40/30/6/3/1 and 35/25/5/3/1 were seen too; which ones New Jersey allows is not known"),
    ),
    own.odds_setting(
        "ante_bonus_table",
        {"straight-flush": 5, "three-of-a-kind": 4, "straight": 1},
        check_three_card_table,
        "what the ante of a hand that plays earns on top, whatever the dealer holds; empty: nothing",
        SHEETS,
    ),
    own.after_fold_setting(SIDE, own.LOST, c.parallel("casino rule sheets", "whether it survives a fold in New Jersey is not known")),
)


def _cards(settings: Settings) -> tuple[Step, ...]:
    return *stud.one_by_one(3, c.parallel("PA 679a.9(b)", "sister game with three cards")), Stub(rule=c.analogy("23.8(d)"))


def _stacks(settings: Settings) -> tuple[Step, ...]:
    return *stud.by_stacks(3, c.analogy("35.9(c)", "the stack is the hand, the dealer's last")), Stub(rule=c.analogy("35.9(d)"))


def _play(settings: Settings) -> tuple[Step, ...]:
    play = Option(choose="play", meaning="place the play wager and stay", places="play", size=c.times("ante", 1), rule=SHEETS)
    open_hands = own.anything_open(settings, SIDE)
    return (
        Decide(options=(play, own.fold(settings, SIDE, SHEETS)), asks=own.has_ante, rule=c.analogy("33.10(a)3")),
        ExposeCards(what=Who.DEALER, when=open_hands, rule=c.memory("the dealer's cards", "turned up after the last decision")),
        Settle(with_folded=own.kept_side(settings, SIDE), rule=c.analogy("21.8(k)", "right first, counterclockwise")),
        Collect(rule=c.analogy("21.8(o)", "so that each hand can be rebuilt")),
    )


def _judge(settings: Settings, round_: Round) -> list[Judged]:
    dealer = round_.shown_cards(DEALER)
    judged = []
    for seat in own.to_judge(settings, SIDE, round_):
        slip = stud.Slip(seat)
        if seat.status == "folded":
            slip.lose("ante", SIDE)
        if not seat.exposed:
            judged.append(slip.judged(SHEETS, "folded"))
        elif len(dealer) == 3:
            hand = evaluate_three(c.kept_cards(seat))
            _settle(settings, slip, seat, hand, evaluate_three(dealer))
            judged.append(slip.judged(SHEETS, hand.text))
    return judged


def _judge_void(settings: Settings, round_: Round) -> list[Judged]:
    table = settings.table("pair_plus_table")

    def settle(slip: stud.Slip, cards: tuple[Card, ...]) -> None:
        if len(cards) == 3:
            slip.by_table(SIDE, table, three_card_name(table, evaluate_three(cards)))
        else:
            slip.unsettled(SIDE)

    return own.side_stands(settings, SIDE, round_, c.memory("pair plus in a void round", "settled on the player's own cards"), settle)


def _settle(settings: Settings, slip: stud.Slip, seat: Seat, hand: ThreeCardHand, dealer: ThreeCardHand) -> None:
    if "play" in seat.wagers:
        own.against_dealer(slip, "ante", "play", hand.value, dealer.value if dealer.is_queen_high_or_better else None)
        bonus = settings.table("ante_bonus_table")
        slip.bonus("ante_bonus", bonus, three_card_name(bonus, hand), seat.wagers["ante"])
    table = settings.table("pair_plus_table")
    slip.by_table(SIDE, table, three_card_name(table, hand))


GAME = Game(
    key="three-card-poker",
    title="Three-Card Poker",
    law="13:69F-20",
    summary="Three cards against the dealer's three, against a pay table, or both; a straight outranks a flush.",
    settings=SETTINGS,
    wagers=(
        WagerKind(name="ante", opens=True, rule=SHEETS, meaning="before the cards, against the dealer"),
        WagerKind(name=SIDE, opens=True, side=True, rule=SHEETS, meaning="before the cards, on the own hand, with or without an ante"),
        WagerKind(name="play", before_deal=False, rule=SHEETS, meaning="after the cards, equal to the ante"),
    ),
    deck=lambda settings: DeckSpec(decks=1),
    deals={Method.MANUAL_SHOE: _cards, Method.HAND: _cards, Method.AUTOMATED_SHOE: _stacks},
    play=_play,
    irregularities=stud.irregularities,
    judge=_judge,
    judge_void=_judge_void,
    stub=c.stub_check(c.analogy("35.9(e)")),
    cards_needed=lambda settings, seats: 3 * (seats + 1),
)
