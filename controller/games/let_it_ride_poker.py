"""Let It Ride Poker, N.J.A.C. 13:69F-18.

Three equal wagers and three cards for each seat, two community cards face down. Before each community card is turned a seat may take one
wager back; the third stays. There is no dealer hand and no fold: a pair of tens or better is paid by posted odds on every wager left.
Read in law: the table, 69E-1.13H. The deal, the odds and the irregularities come from parallel law, published sheets or sister games,
and say so.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from controller.dealing.game import Game, Judged
from controller.dealing.round import COMMUNITY, Round
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
    Wagers,
    Who,
)
from controller.decks import DeckSpec
from controller.games import common as c
from controller.games import own_hand, stud
from controller.games.pay import check_pay_table, check_three_card_table, posted_settings, three_card_name
from controller.hands.poker import PokerHand, evaluate
from controller.hands.three_card import evaluate_three
from firmware_bridge.cards import Card

WAGERS = ("one", "two", "three")
HAND_BONUS, OWN_BONUS = "let_it_ride_bonus", "three_card_bonus"
DOWN2, DOWN3 = (Face.DOWN,) * 2, (Face.DOWN,) * 3
SHEETS = "casino rule sheets: let it ride"
POSTED = c.parallel(SHEETS, "every wager still up is paid by the same table; 18.11 was not reachable")
LETTING_RIDE = c.parallel("PA 643a.1", "letting it ride is not withdrawing a wager as permitted at two points")
AREAS = c.law_69e("1.13H(b)2", "three areas")
EQUAL = Size(of=("one",), rule=c.parallel(SHEETS, "the three wagers are equal"))
ODDS: dict[str, Plain] = {
    "royal-flush": 1000, "straight-flush": 200, "four-of-a-kind": 50, "full-house": 11, "flush": 8, "straight": 5, "three-of-a-kind": 3,
    "two-pair": 2, "pair": 1,
}  # fmt: skip
BONUS_ODDS: dict[str, Plain] = {
    "royal-flush": 10_000, "straight-flush": 2000, "four-of-a-kind": 100, "full-house": 75, "flush": 50, "straight": 25,
    "three-of-a-kind": 8, "two-pair": 4,
}  # fmt: skip
LIMIT = 50_000
"""Whole currency units that one hand wins at most, as in the sister game (13:69F-29.11(e))."""

SETTINGS = (
    c.seats_setting(7, 7, 7, c.law_69e("1.13H(a)", "seven betting positions")),
    c.stub_every(c.analogy("35.9(e)")),
    c.TWO_DECKS,
    *posted_settings(
        ODDS, POSTED, wins_from="T", pushes_from=None, limit=LIMIT, limit_rule=c.analogy("29.11(e)", "set by the casino under 18.11")
    ),
    Setting(
        name="let_it_ride_bonus_table", default=BONUS_ODDS, check=check_pay_table,
        meaning="odds to one of the let it ride bonus on the five cards, by hand; empty: settled outside of this record",
        rule=c.parallel("68 IAC 10-7-5", "dollars for one dollar on a published sheet, read as odds to one; 18.6A was not reachable"),
    ),
    Setting(
        name="three_card_bonus_table", default={}, check=check_three_card_table,
        meaning="odds to one of the bonus on the player's own three cards, by hand; empty: settled outside of this record",
        rule=c.house("three_card_bonus_table", "published sheets differ; 18.6B was not reachable"),
    ),
)  # fmt: skip


def _cards_by_pass(settings: Settings) -> tuple[Step, ...]:
    return (
        Wagers(rule=c.NO_MORE_BETS),
        Deal(to=(Who.WAGERED, Who.COMMUNITY), facing=DOWN2, rule=c.analogy("23.8(c)", "a community card after each of two passes")),
        Deal(to=(Who.WAGERED,), facing=(Face.DOWN,), rule=c.analogy("23.8(c)", "the third card of each seat")),
        Stub(rule=c.analogy("23.8(d)")),
    )


def _stacks(settings: Settings) -> tuple[Step, ...]:
    community = c.parallel(
        SHEETS, "first card left, second right, the third to the rack unseen; which card the law names was not reachable"
    )
    return (
        *stud.by_stacks(3, c.analogy("35.9(c)", "stacks of three by the published sheets"), (Who.WAGERED,)),
        Stack(to=(Who.COMMUNITY,), size=3, keeps=2, facing=DOWN3, rule=community),
        Stub(rule=c.analogy("35.9(d)")),
    )


def _play(settings: Settings) -> tuple[Step, ...]:
    return (
        _decision("one"),
        ExposeCards(what=Who.COMMUNITY, cards=(1,), rule=c.parallel(SHEETS, "the left card, after all first decisions")),
        _decision("two"),
        ExposeCards(what=Who.COMMUNITY, cards=(2,), rule=c.parallel(SHEETS, "the right card, after all second decisions")),
        Settle(rule=c.analogy("21.8(k)", "right first, counterclockwise")),
        Collect(rule=c.analogy("21.8(o)", "so that each hand can be rebuilt")),
    )


def _decision(wager: str) -> Decide:
    back = Option(
        choose="take-back", meaning=f"wager {wager} goes back, pushed by the dealer", takes_back=wager,
        rule=c.parallel(SHEETS, "a wager once let ride cannot be withdrawn later; the third never"),
    )  # fmt: skip
    ride = Option(choose="let-it-ride", meaning=f"wager {wager} stays", rule=LETTING_RIDE)
    return Decide(options=(back, ride), rule=LETTING_RIDE)


def _irregularities(method: Method) -> Mapping[str, Remedy]:
    rows = stud.irregularities(method, dealer=False, community=True)
    if method is Method.AUTOMATED_SHOE:
        rows["device-malfunction"] = Remedy(
            "round-void",
            c.memory("dealing shoe malfunction"),
            "The shoe jams or fails: the round is void; cover the shoe, put up a sign and deal by another method.",
        )
    return rows


def _judge(settings: Settings, round_: Round) -> list[Judged]:
    board = round_.shown_cards(COMMUNITY)
    judged = []
    for _, seat in sorted(round_.seats.items()):
        own = c.kept_cards(seat)
        if seat.exposed and len(own) == 3 and len(board) == 2:
            slip, hand = stud.Slip(seat), evaluate((*own, *board))
            slip.posted(settings, hand, *WAGERS, at_minimum=len(WAGERS))
            _settle_bonuses(settings, slip, hand, own)
            judged.append(slip.judged(POSTED, hand.text))
    return judged


def _settle_bonuses(settings: Settings, slip: stud.Slip, hand: PokerHand, own: tuple[Card, ...]) -> None:
    slip.by_table(HAND_BONUS, settings.table("let_it_ride_bonus_table"), hand.category.value)
    _settle_own_bonus(settings, slip, own)


def _settle_own_bonus(settings: Settings, slip: stud.Slip, own: tuple[Card, ...]) -> None:
    table = settings.table("three_card_bonus_table")
    if len(own) == 3:
        slip.by_table(OWN_BONUS, table, three_card_name(table, evaluate_three(own)))
    else:
        slip.unsettled(OWN_BONUS)


def _judge_void(settings: Settings, round_: Round) -> list[Judged]:
    """The bonus on the player's own cards stands when a community card was seen too early."""
    rule = c.analogy("28.12(a)", "a bonus on the player's own cards is settled on them")
    return own_hand.side_stands(settings, OWN_BONUS, round_, rule, partial(_settle_own_bonus, settings))


GAME = Game(
    key="let-it-ride-poker",
    title="Let It Ride Poker",
    law="13:69F-18",
    summary="Three wagers, of which two may be taken back; three own and two community cards; posted odds, no dealer hand.",
    settings=SETTINGS,
    wagers=(
        WagerKind(name="one", required=True, rule=AREAS, meaning="before the cards; may be taken back before the first community card"),
        WagerKind(
            name="two", required=True, size=EQUAL, rule=AREAS,
            meaning="equal to the first; may be taken back before the second community card",
        ),
        WagerKind(name="three", required=True, size=EQUAL, rule=AREAS, meaning="equal to the first; stays to the end"),
        WagerKind(
            name=HAND_BONUS, rule=c.law_69e("1.13H(b)5", "optional, under 18.6A"), meaning="optional, before the cards, on the five cards"
        ),
        WagerKind(
            name=OWN_BONUS, side=True, rule=c.law_69e("1.13H(b)5", "optional, under 18.6B"),
            meaning="optional, before the cards, on the player's own three cards",
        ),
    ),
    deck=lambda settings: DeckSpec(decks=1),
    deals={Method.MANUAL_SHOE: _cards_by_pass, Method.HAND: _cards_by_pass, Method.AUTOMATED_SHOE: _stacks},
    play=_play,
    irregularities=_irregularities,
    judge=_judge,
    judge_void=_judge_void,
    stub=c.stub_check(c.analogy("35.9(e)")),
    cards_needed=lambda settings, seats: 3 * seats + 3,
)  # fmt: skip
