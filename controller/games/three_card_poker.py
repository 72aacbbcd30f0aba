"""Three-Card Poker, N.J.A.C. 13:69F-20.

Three cards for each seat and the dealer. A seat wagers against the dealer (ante, then play or fold), on its own three cards (pair plus),
or both; with pair plus alone it is asked nothing. Read in law: the ranking of 20.3. Stack, order, irregularities and pay tables come from
sister games and from casinos' rule sheets, and say so.
"""

from __future__ import annotations

from collections.abc import Mapping

from controller.dealing.game import Game, Judged
from controller.dealing.round import DEALER, Round, Seat
from controller.dealing.settings import Settings
from controller.dealing.steps import Collect, Decide, ExposeCards, Method, Option, Remedy, Settle, Step, Stub, WagerKind, Who
from controller.decks import DeckSpec
from controller.games import common as c
from controller.games import stud
from controller.games.pay import check_three_card_table
from controller.hands.three_card import ThreeCardHand, evaluate_three

SHEETS = c.parallel("casino rule sheets")
SIDE = "pair_plus"

SETTINGS = (
    c.seats_setting(7, 1, 16, c.memory("seats", "up to seven are usual; sixteen seats and the dealer take 51 cards")),
    c.stub_every(c.analogy("35.9(e)")),
    c.TWO_DECKS,
    c.pay_table_setting(
        "pair_plus_table",
        {"straight-flush": 40, "three-of-a-kind": 30, "straight": 6, "flush": 4, "pair": 1},
        check_three_card_table,
        "odds to one of pair plus by hand; empty: results say the hand",
        c.parallel("casino rule sheets", "40/30/6/3/1 and 35/25/5/3/1 were seen too; which ones New Jersey allows is not known"),
    ),
    c.pay_table_setting(
        "ante_bonus_table",
        {"straight-flush": 5, "three-of-a-kind": 4, "straight": 1},
        check_three_card_table,
        "what the ante earns on top by hand, whatever the dealer holds; empty: nothing",
        SHEETS,
    ),
    c.side_after_fold(SIDE, "lost", c.parallel("casino rule sheets", "whether it survives a fold in New Jersey is not known")),
)


def _cards_by_pass(settings: Settings) -> tuple[Step, ...]:
    return *stud.one_by_one(3, c.parallel("PA 679a.9(b)", "sister game with three cards")), Stub(rule=c.analogy("23.8(d)"))


def _stacks(settings: Settings) -> tuple[Step, ...]:
    return *stud.by_stacks(3, c.analogy("35.9(c)", "the stack is the hand; the dealer last")), Stub(rule=c.analogy("35.9(d)"))


def _has_ante(round_: Round, seat: int) -> bool:
    return "ante" in round_.seats[seat].wagers


def _play(settings: Settings) -> tuple[Step, ...]:
    play = Option(
        choose="play", meaning="place the play wager and stay", places="play", size=c.times("ante", 1),
        rule=c.parallel("casino rule sheets", "exactly the ante"),
    )  # fmt: skip
    return (
        Decide(options=(play, stud.fold_or_keep(settings, SIDE, SHEETS)), asks=_has_ante, rule=c.analogy("33.10(a)3")),
        ExposeCards(what=Who.DEALER, when=stud.anyone_to_settle(SIDE), rule=c.memory("dealer revealed after the last decision")),
        Settle(with_folded=stud.kept_side(settings, SIDE), rule=c.analogy("21.8(k)", "right first, counterclockwise")),
        Collect(rule=c.analogy("21.8(o)", "so that each hand can be rebuilt")),
    )


def _irregularities(method: Method) -> Mapping[str, Remedy]:
    return stud.irregularities(method)


def _judge(settings: Settings, round_: Round) -> list[Judged]:
    dealer = round_.shown_cards(DEALER)
    judged = []
    for seat in stud.unjudged(settings, round_, SIDE):
        slip = stud.Slip(seat)
        hand = None
        if seat.status == "folded":
            slip.lose("ante")
        if seat.exposed and len(dealer) == 3:
            hand = evaluate_three(c.kept_cards(seat))
            _settle(settings, slip, seat, hand, evaluate_three(dealer))
        elif settings.text(stud.SIDE_AFTER_FOLD) == "lost":
            slip.lose(SIDE)
        judged.append(slip.judged(SHEETS, hand.text if hand else "folded"))
    return judged


def _settle(settings: Settings, slip: stud.Slip, seat: Seat, hand: ThreeCardHand, dealer: ThreeCardHand) -> None:
    if "play" in seat.wagers:
        slip.against_dealer("ante", "play", hand.value, dealer.value if dealer.is_queen_high_or_better else None)
        slip.bonus("ante_bonus", settings.table("ante_bonus_table"), hand.category.value, seat.wagers["ante"])
    slip.by_three_card_table(SIDE, settings.table("pair_plus_table"), hand)


GAME = Game(
    key="three-card-poker",
    title="Three-Card Poker",
    law="13:69F-20",
    summary="Three cards against the dealer's three, against a pay table, or both; a straight outranks a flush.",
    seats_rule=c.memory("seats"),
    settings=SETTINGS,
    wagers=(
        WagerKind(name="ante", opens=True, rule=c.parallel("casino rule sheets"), meaning="before the cards, against the dealer"),
        WagerKind(name=SIDE, opens=True, side=True, rule=SHEETS, meaning="before the cards, on the own hand, with or without an ante"),
        WagerKind(name="play", before_deal=False, rule=SHEETS, meaning="after the cards, equal to the ante"),
    ),
    deck=lambda settings: DeckSpec(decks=1),
    deals={Method.MANUAL_SHOE: _cards_by_pass, Method.HAND: _cards_by_pass, Method.AUTOMATED_SHOE: _stacks},
    play=_play,
    irregularities=_irregularities,
    judge=_judge,
    stub=c.stub_check(c.analogy("35.9(e)")),
    cards_needed=lambda settings, seats: 3 * (seats + 1),
)
