"""Double Attack Blackjack, N.J.A.C. 13:69F-26.

Blackjack with 48-card decks in which the dealer's first card comes first: with it in view each player may add a double attack wager.
Blackjack pays even money, and a bonus wager wins when the dealer passes 21 with exactly three cards. The openings of 26.1 to 26.15 were
read; sizes, odds, the dealer's drawing and the moment of the hole card are from published descriptions or house settings, and say so.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Final

from controller.dealing.game import Game, Judged
from controller.dealing.round import Round, Seat
from controller.dealing.settings import Plain, Setting, Settings
from controller.dealing.sizes import Size
from controller.dealing.steps import Deal, Face, Method, Remedy, Step, WagerKind, Wagers, Who
from controller.games import blackjack_48 as forty_eight
from controller.games import blackjack_family as family
from controller.games import blackjack_steps as steps
from controller.games import common as c
from controller.games.blackjack_family import Rules, SideResult, Terms
from controller.games.pay import check_odds, odds_for
from controller.hands import points
from firmware_bridge.cards import RANKS, Card

MAIN: Final = "initial"
ATTACK: Final = "double_attack"
STAKES: Final = (MAIN, ATTACK)
BONUS_WAGER: Final = "bonus"
DESCRIPTIONS: Final = c.parallel("published game descriptions")
BONUS_MOST: Final = 5_000
"""Cents: published descriptions take at most 50 on the bonus."""
BONUS: Final[dict[str, Plain]] = {"K": 3, "Q": 3, "J": 3, "9": 6, "8": 8, "7": 10, "6": 15, "8-8-8-coloured": 50, "8-8-8-suited": 200}
"""Odds by the third card, and of three eights."""

RULES: Final = Rules(
    deal=c.parallel("PA 685a.7(e)", "box 1 first, clockwise; each card from the shoe, turned face up: 13:69F-26.7(b)"),
    hole=c.house("second_dealer_card", "its place in the sequence is not in the text that was read"),
    look=c.parallel("PA 665a.1", "a card reader tells whether the hole card makes a blackjack"),
    insurance=c.law("26.11(a)", "wins on a king, queen or jack"),
    hit=c.law("26.12(a)1", "not with a blackjack or a hard 21"),
    stand=c.memory("standing"),
    double=c.law("26.9(a)", "at most the amount of the wagers; one card; on split hands too: 13:69F-26.12(a)2"),
    split=c.law("26.10(a)", "two cards of one value, an equal wager; that the attack wager is matched too: published descriptions"),
    split_aces=c.parallel("published game descriptions", "one card each, once"),
    surrender=c.law("26.8(a)", "half of the wagers, also after further cards; after doubling: published descriptions"),
    blackjack=c.law("26.5(a)3", "even money: published descriptions"),
    bust=c.memory("bust", "wager and cards are collected at once"),
    closed_21=c.law("26.12(a)1", "neither a blackjack nor a hard 21 may draw"),
    dealer=c.parallel("published game descriptions", "stands on all 17s; the text of 13:69F-26.12(b) was not reachable"),
    settle=c.law("26.5(a)", "from the dealer's right, counterclockwise: 13:69F-21.8(k)"),
    dealer_blackjack=c.parallel(
        "PA 685a.10(d)", "after splits and doubles only the first wagers are lost; the attack wager is one of them"
    ),
    collect=c.analogy("21.8(o)", "right first, the dealer's hand last"),
    at_once=c.memory("bust"),
    rescue=c.law("26.8(a)"),
)

SETTINGS = (
    c.seats_setting(6, 1, 7, c.house("seats", "six in the sister game of 13:69E-1.10B(a)")),
    forty_eight.decks_setting(6, c.law("26.2(a)")),
    c.SHOE_START_BURN,
    steps.new_dealer_setting(),
    steps.reader_setting(c.parallel("PA 665a.1")),
    forty_eight.hands_setting(c.parallel("published game descriptions", "three or four")),
    steps.yes_or_no("soft_21_may_draw", "a soft 21 may draw", c.house("soft_21_may_draw", "the text bars a hard 21"), default=False),
    Setting(
        name="second_dealer_card", default="after-the-deal", allowed=("after-the-deal", "after-the-players"),
        rule=c.house("second_dealer_card"), meaning="the second card comes face down after the players' cards, or up when all have played",
    ),
    Setting(
        name="insurance_moment", default="up-card", allowed=("up-card", "after-the-deal"), rule=c.house("insurance_moment"),
        meaning="insurance is taken when the ace is up and the double attack wagers are placed, or when all cards are dealt",
    ),
    steps.odds_setting("insurance_odds", "5 to 2", ("5 to 2", "3 to 1"), "what insurance is paid", DESCRIPTIONS),
    Setting(
        name="bonus_table", default=dict(BONUS), rule=DESCRIPTIONS, check=lambda value: check_odds(value, BONUS, "9"),
        meaning="odds of the bonus wager by the dealer's third card, and of three eights of one colour or one suit",
    ),
)  # fmt: skip


@functools.lru_cache(maxsize=64)  # asked for with every card; a procedure has one table of settings
def terms(settings: Settings) -> Terms:
    """What this table plays."""
    return Terms(
        rules=RULES,
        stakes=STAKES,
        hits_soft_17=False,
        soft_21_may_draw=settings.flag("soft_21_may_draw"),
        most_hands=settings.number("most_hands"),
        doubles_any_cards=True,
        surrender="any",
        insurance_odds=lambda dealer: steps.odds_of(settings, "insurance_odds"),
        sides=_sides,
        side_needs_dealer=_bonus_is_open,
    )


# ---- the bonus wager


def _bonus_is_open(round_: Round) -> bool:
    """A bonus wager depends on the dealer's whole hand, whatever became of its player's."""
    return any(BONUS_WAGER in seat.wagers for seat in round_.seats.values() if seat.live)


def bonus_name(cards: tuple[Card, ...]) -> str:
    """What a dealer's bust with exactly three cards is called in the bonus table; empty for any other hand."""
    if len(cards) != 3 or not points.total_of(cards).bust:
        return ""
    if all(card.rank == 8 for card in cards) and points.one_colour(cards):
        return "8-8-8-suited" if points.one_suit(cards) else "8-8-8-coloured"
    return RANKS[cards[2].rank - 1]


def _sides(settings: Settings, round_: Round, seat: Seat) -> Mapping[str, SideResult]:
    if BONUS_WAGER not in seat.wagers or not family.dealer_is_complete(terms(settings), round_):
        return {}
    amount = seat.wagers[BONUS_WAGER]
    name = bonus_name(family.dealer_cards(round_))
    table = settings.table("bonus_table")
    odds = odds_for(table, name) if name else None
    if name and not table:
        return {BONUS_WAGER: ("odds", None)}
    if odds is None:
        return {BONUS_WAGER: ("lose", c.lost(amount))}
    return {BONUS_WAGER: ("win", None if amount is None else family.paid(amount, odds))}


# ---- the game


def _deal(settings: Settings) -> tuple[Step, ...]:
    insurance = (steps.insurance(terms(settings), of=STAKES),)
    early = settings.text("insurance_moment") == "up-card"
    hole = (
        (Deal(to=(Who.DEALER,), facing=(Face.DOWN,), rule=RULES.hole),) if settings.text("second_dealer_card") == "after-the-deal" else ()
    )
    attack = steps.another_wager(ATTACK, (MAIN,), c.law("26.5(a)"), "seeing the up card", most=DESCRIPTIONS)
    return (
        Wagers(rule=c.law("26.6(b)", "before the first card")),
        *steps.opening_burn(settings),
        Deal(
            to=(Who.DEALER,),
            facing=(Face.UP,),
            rule=c.law("26.11(a)", "the first card dealt to the dealer; before the players': descriptions"),
        ),
        attack,
        *(insurance if early else ()),
        Deal(to=(Who.WAGERED,), facing=(Face.UP, Face.UP), rule=RULES.deal),
        *hole,
        *(() if early else insurance),
    )


def _play(settings: Settings) -> tuple[Step, ...]:
    return steps.play(terms(settings), settings)


def _irregularities(method: Method) -> Mapping[str, Remedy]:
    return forty_eight.irregularities(
        c.law("26.15(b)", "the rule exists, its text was cut off"),
        {
            "card-face-up": Remedy("discard-and-continue", c.law("26.15(a)"), steps.ONE_FACE_UP.words),
            "cards-face-up": Remedy("round-void", c.law("26.15(a)"), steps.MORE_FACE_UP.words),
            "device-malfunction": c.SHOE_FAILED,
        },
    )


def _judge(settings: Settings, round_: Round) -> list[Judged]:
    return family.judge(terms(settings), settings, round_)


SHOE_ONLY = c.law("26.7(a)", "all cards come from a dealing shoe, one at a time")

GAME = Game(
    key="double-attack-blackjack",
    title="Double Attack Blackjack",
    law="13:69F-26",
    summary="Blackjack without tens: the dealer's card first, then a double attack wager; a bonus when the dealer busts with three cards.",
    settings=SETTINGS,
    wagers=(
        WagerKind(name=MAIN, also=("wager",), required=True, rule=c.law("26.6(b)"), meaning="before the first card"),
        WagerKind(
            name=BONUS_WAGER, side=True, size=Size(of=(MAIN,), between=(0, 100), most=BONUS_MOST, rule=DESCRIPTIONS), rule=c.law("26.6(a)"),
            meaning="optional, before the first card: the dealer passes 21 with exactly three cards",
        ),
        WagerKind(name=ATTACK, before_deal=False, rule=c.law("26.5(a)"), meaning="when the dealer's card is up"),
        WagerKind(name="insurance", before_deal=False, rule=RULES.insurance, meaning="while the dealer shows an ace"),
        WagerKind(name="double", before_deal=False, rule=RULES.double, meaning="with two or more cards"),
    ),
    deck=forty_eight.deck,
    deals={Method.MANUAL_SHOE: _deal},
    absent=c.singly(SHOE_ONLY, SHOE_ONLY),
    play=_play,
    irregularities=_irregularities,
    judge=_judge,
    stub=None,
    shoe_game=True,
    may_run_out=True,
    cards_needed=steps.cards_needed,
    is_natural=steps.is_blackjack,
)  # fmt: skip
