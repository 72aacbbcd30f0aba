"""Four-Card Poker, N.J.A.C. 13:69F-27.

Five cards for each seat, six for the dealer, one of them face up; each makes its best four. A seat wagers an ante, then folds or plays one
to three times the ante, or aces up on its own hand, or both. The dealer always plays, and equal hands win for the player. Read in law:
27.6 (wagers), the openings of 27.2 to 27.12, among them the stack of five and the even money of 27.11(a)1. How the sixth card comes, the
pay tables and the order of settlement come from published sheets and sister games, and say so.
"""

from __future__ import annotations

from collections.abc import Mapping

from controller.dealing.game import Game, Judged
from controller.dealing.round import DEALER, Round, Seat
from controller.dealing.rules import Rule
from controller.dealing.settings import Plain, Setting, Settings
from controller.dealing.sizes import Size
from controller.dealing.steps import (
    Collect,
    Deal,
    Decide,
    ExposeCards,
    Face,
    Method,
    Option,
    Remedy,
    Settle,
    Stack,
    Step,
    Stub,
    WagerKind,
    Who,
)
from controller.decks import DeckSpec
from controller.games import common as c
from controller.games import own_hand as own
from controller.games import stud
from controller.games.pay import check_odds
from controller.hands.four_card_poker import RANKING, FourCardHand, evaluate_four
from controller.hands.poker import PokerCategory
from firmware_bridge.cards import Card

SIDE = "aces_up"
PAIR_OF_ACES = "pair-of-aces"
ACE = 14
SHEETS = c.parallel("published sheets", "four casinos; the NJ table was not reachable")
BONUS_NAMES = frozenset(kind.value for kind in RANKING.order)
ACES_UP_NAMES = BONUS_NAMES - {PokerCategory.PAIR.value, PokerCategory.HIGH_CARD.value} | {PAIR_OF_ACES}
ACES_UP_TABLE = {
    "four-of-a-kind": 50, "straight-flush": 40, "three-of-a-kind": 8, "flush": 5, "straight": 4, "two-pair": 3, PAIR_OF_ACES: 1,
}  # fmt: skip


def _check_aces_up(value: Plain) -> str:
    return check_odds(value, ACES_UP_NAMES)


def _check_bonus(value: Plain) -> str:
    return check_odds(value, BONUS_NAMES)


SETTINGS = (
    c.seats_setting(7, 1, 9, c.house("seats", "nine and the dealer take 51 cards; a player may be allowed two adjacent ones: 27.6(e)")),
    c.stub_every(c.analogy("35.9(e)")),
    Setting(
        name="two_decks", default=False, allowed=(False, True), meaning=c.TWO_DECKS.meaning,
        rule=c.law("27.2(a)", "a second deck as in (b), which was not reachable; 23.2(b) asks for an automated shuffler"),
    ),
    Setting(
        name="sixth_card", default="hand", allowed=("hand", "stack"),
        meaning="with an automated shoe the dealer's up card is the top one of the rest, or of one more stack whose others go to the rack",
        rule=c.house("sixth_card", "13:69F-27.9 was read to the size of the stack; it is the same card either way"),
    ),
    Setting(
        name="play_size", default="any", allowed=("any", "multiples"),
        meaning="the play wager is any amount from one to three times the ante, or exactly one, two or three times",
        rule=c.house("play_size", "27.6(a)1 says an amount from one to three times"),
    ),
    own.odds_setting(
        "aces_up_table", ACES_UP_TABLE, _check_aces_up, "odds to one of aces up by hand; empty: settled outside of this record",
        c.parallel("published sheets", "three tables were seen; the NJ one was not reachable"),
    ),
    own.odds_setting(
        "ante_bonus_table", {"four-of-a-kind": 25, "straight-flush": 20, "three-of-a-kind": 2}, _check_bonus,
        "what the ante of a hand that plays earns on top, even when it loses; empty: nothing", SHEETS,
    ),
    own.after_fold_setting(SIDE, own.STAYS, c.analogy("33.10(a)2", "elsewhere it may be forfeited")),
)  # fmt: skip


def _cards(settings: Settings) -> tuple[Step, ...]:
    return (
        *stud.one_by_one(5, c.analogy("23.8(c)", "seat 1 first, clockwise, then the dealer")),
        _up_card(c.parallel("published sheets", "five say five down and one up")),
        Stub(rule=c.analogy("31.8(d)")),
    )


def _up_card(rule: Rule) -> Deal:
    return Deal(to=(Who.DEALER,), facing=(Face.UP,), rule=rule)


def _stacks(settings: Settings) -> tuple[Step, ...]:
    sixth: Step = _up_card(c.analogy("35.9(d)", "the rest is taken out of the shoe and its top card dealt from the hand"))
    if settings.text("sixth_card") == "stack":
        rule = c.parallel("PA 684a.10(b)", "one more stack: its top card, the other four unexposed to the rack")
        sixth = Stack(to=(Who.DEALER,), size=5, keeps=1, facing=(Face.UP, *(Face.DOWN,) * 4), rule=rule)
    return *stud.by_stacks(5, c.law("27.9(a)", "order by 35.9(c), the dealer last")), sixth, Stub(rule=c.parallel("PA 684a.10(c)"))


def _play(settings: Settings) -> tuple[Step, ...]:
    exact = settings.text("play_size") == "multiples"
    size = Size(of=("ante",), percent=(100, 200, 300)) if exact else Size(of=("ante",), between=(100, 300))
    rule = c.law("27.6(a)1", "from one to three times the ante")
    play = Option(choose="play", meaning="place the play wager and stay", places="play", size=size, rule=rule)
    open_hands = own.anything_open(settings, SIDE)
    return (
        Decide(options=(play, own.fold(settings, SIDE, c.analogy("33.10(a)2"))), asks=own.has_ante, rule=c.analogy("33.10(a)3")),
        ExposeCards(what=Who.DEALER, when=open_hands, rule=c.analogy("33.10(f)", "the dealer's down cards first")),
        Settle(with_folded=own.kept_side(settings, SIDE), rule=c.analogy("33.10(f)", "right first, counterclockwise")),
        Collect(rule=c.analogy("33.10(i)", "so that each hand can be rebuilt")),
    )


def _irregularities(method: Method) -> Mapping[str, Remedy]:
    law = c.law("27.12(a)")
    return stud.irregularities(
        method,
        more={
            "card-face-up": Remedy(c.ONE_FACE_UP.remedy, law, c.ONE_FACE_UP.words),
            "cards-face-up": Remedy(c.MORE_FACE_UP.remedy, law, c.MORE_FACE_UP.words),
        },
    )


# ---- settlement


def _judge(settings: Settings, round_: Round) -> list[Judged]:
    dealer = round_.shown_cards(DEALER)
    judged = []
    for seat in own.to_judge(settings, SIDE, round_):
        slip = stud.Slip(seat)
        if seat.status == "folded":
            slip.lose("ante", SIDE)
        if not seat.exposed:
            judged.append(slip.judged(c.analogy("33.10(a)2"), "folded"))
        elif len(dealer) == 6:
            hand = evaluate_four(c.kept_cards(seat))
            _settle(settings, slip, seat, hand, evaluate_four(dealer))
            judged.append(slip.judged(c.law("27.11(a)1") if "play" in seat.wagers else SHEETS, hand.text))
    return judged


def _settle(settings: Settings, slip: stud.Slip, seat: Seat, hand: FourCardHand, dealer: FourCardHand) -> None:
    if "play" in seat.wagers:
        (slip.win if hand.value >= dealer.value else slip.lose)("ante", "play")
        slip.bonus("ante_bonus", settings.table("ante_bonus_table"), hand.category.value, seat.wagers["ante"])
    slip.by_table(SIDE, settings.table("aces_up_table"), _aces_up_name(hand))


def _aces_up_name(hand: FourCardHand) -> str:
    """What the aces up table calls a hand: a pair counts from aces on."""
    aces = hand.category is PokerCategory.PAIR and hand.ranks[0] == ACE
    return PAIR_OF_ACES if aces else hand.category.value


def _judge_void(settings: Settings, round_: Round) -> list[Judged]:
    def settle(slip: stud.Slip, cards: tuple[Card, ...]) -> None:
        if len(cards) == 5:
            slip.by_table(SIDE, settings.table("aces_up_table"), _aces_up_name(evaluate_four(cards)))
        else:
            slip.unsettled(SIDE)

    return own.side_stands(settings, SIDE, round_, c.analogy("28.12(a)", "settled on the player's own cards"), settle)


GAME = Game(
    key="four-card-poker",
    title="Four-Card Poker",
    law="13:69F-27",
    summary="Best four of five against the dealer's best four of six; one dealer card up; equal hands win for the player.",
    settings=SETTINGS,
    wagers=(
        WagerKind(name="ante", opens=True, rule=c.law("27.6(a)1"), meaning="before the cards, against the dealer"),
        WagerKind(
            name=SIDE, opens=True, side=True, rule=c.law("27.6(a)2"), meaning="before the cards, on the own hand, alone or with an ante"
        ),
        WagerKind(name="play", before_deal=False, rule=c.law("27.6(a)1"), meaning="after the cards, one to three times the ante"),
    ),
    deck=lambda settings: DeckSpec(decks=1),
    deals={Method.MANUAL_SHOE: _cards, Method.HAND: _cards, Method.AUTOMATED_SHOE: _stacks},
    play=_play,
    irregularities=_irregularities,
    judge=_judge,
    judge_void=_judge_void,
    stub=c.stub_check(c.analogy("35.9(e)")),
)
