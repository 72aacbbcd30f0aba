"""Triple Attack Blackjack, N.J.A.C. 13:69F-36.

Blackjack with 48-card decks in which wagers are added while the first cards come: after the player's first card and after the dealer's up
card. A dealer's 22 pushes, a blackjack and a hand of six cards are paid even money at once. Nothing of subchapter 36 was reachable: every
rule is from published descriptions, parallel law, or a sister game, and says so.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Final

from controller.dealing.game import Game, Judged
from controller.dealing.round import Round
from controller.dealing.settings import Settings
from controller.dealing.steps import Deal, Face, Method, Order, Remedy, Step, WagerKind, Wagers, Who
from controller.games import blackjack_48 as forty_eight
from controller.games import blackjack_family as family
from controller.games import blackjack_steps as steps
from controller.games import common as c
from controller.games.blackjack_family import Rules, Terms
from controller.games.pay import Odds
from controller.hands import points
from firmware_bridge.cards import Card

FIRST, SECOND, THIRD = STAKES = ("first_attack", "second_attack", "third_attack")
DESCRIPTION: Final = c.parallel("published game description")
SIX_CARDS: Final = 6

RULES: Final = Rules(
    deal=DESCRIPTION,
    hole=DESCRIPTION,
    look=c.parallel("published game description", "the dealer looks before the first decision"),
    insurance=c.parallel("published game description"),
    hit=c.parallel("published game description", "not with a blackjack or a hard 21: 13:69F-26.12(a)1"),
    stand=DESCRIPTION,
    double=c.parallel("published game description", "equal to all attack wagers of the hand, also after hits and splits"),
    split=c.parallel("published game description", "with wagers equal to all attack wagers of the hand"),
    split_aces=c.parallel("published game description", "each may only stand or double"),
    surrender=c.analogy("26.8(a)", "half of all wagers"),
    blackjack=c.parallel("published game description", "even money at once, before the dealer looks"),
    bust=c.memory("bust", "wager and cards are collected at once"),
    closed_21=c.analogy("26.12(a)1"),
    dealer=c.parallel("published game description", "hits a soft 17; 22 pushes"),
    settle=c.parallel("PA 665a.12(a)", "all attack wagers of a box win, lose or push together, even money"),
    dealer_blackjack=c.parallel("PA 633a.11(d)", "after splits and doubles only the first wagers are lost"),
    collect=c.analogy("21.8(o)"),
    at_once=c.parallel("published game description", "six cards without passing 21 win at once"),
    rescue=DESCRIPTION,
)

SETTINGS = (
    c.seats_setting(6, 1, 7, c.house("seats", "six in the sister game of 13:69E-1.10B(a)")),
    forty_eight.decks_setting(8, c.parallel("published game description", "eight; six or eight in the sister game of 13:69F-26.2(a)")),
    c.SHOE_START_BURN,
    steps.new_dealer_setting(),
    steps.reader_setting(DESCRIPTION),
    forty_eight.hands_setting(c.house("most_hands")),
    steps.yes_or_no("soft_21_may_draw", "a soft 21 may draw", c.house("soft_21_may_draw", "the text bars a hard 21"), default=False),
)


def _insurance_odds(dealer: tuple[Card, ...]) -> Odds:
    """A blackjack of one suit pays more."""
    return 5 if points.one_suit(dealer) else 2


@functools.lru_cache(maxsize=64)  # asked for with every card; a procedure has one table of settings
def terms(settings: Settings) -> Terms:
    """What this table plays."""
    return Terms(
        rules=RULES,
        stakes=STAKES,
        hits_soft_17=True,
        blackjack_always_wins=True,
        cards_that_win=SIX_CARDS,
        dealer_22_pushes=True,
        soft_21_may_draw=settings.flag("soft_21_may_draw"),
        most_hands=settings.number("most_hands"),
        split_aces="stand-or-double",
        doubles_any_cards=True,
        double_percent=(100, 100),
        insurance_odds=_insurance_odds,
    )


def _deal(settings: Settings) -> tuple[Step, ...]:
    size = c.parallel("published game description", "at most the first attack, which it usually matches")
    clockwise = Order.CLOCKWISE
    return (
        Wagers(rule=DESCRIPTION),
        *steps.opening_burn(settings),
        Deal(to=(Who.WAGERED,), facing=(Face.UP,), rule=RULES.deal),
        steps.another_wager(SECOND, (FIRST,), size, "seeing the own first card", order=clockwise),
        Deal(to=(Who.DEALER,), facing=(Face.UP,), rule=RULES.deal),
        steps.another_wager(THIRD, (FIRST,), size, "seeing the up card, also without a second attack", order=clockwise),
        Deal(to=(Who.WAGERED,), facing=(Face.UP,), rule=RULES.deal),
        Deal(to=(Who.DEALER,), facing=(Face.DOWN,), rule=RULES.hole),
        steps.insurance(terms(settings), of=STAKES),
    )


def _play(settings: Settings) -> tuple[Step, ...]:
    return steps.play(terms(settings), settings)


def _irregularities(method: Method) -> Mapping[str, Remedy]:
    return forty_eight.irregularities(c.analogy("26.15(b)", "the sister game has a rule of its own, its text was cut off"))


def _judge(settings: Settings, round_: Round) -> list[Judged]:
    return family.judge(terms(settings), settings, round_)


GAME = Game(
    key="triple-attack-blackjack",
    title="Triple Attack Blackjack",
    law="13:69F-36",
    summary="Blackjack without tens: wagers added while the first cards come; a dealer's 22 pushes, blackjack and six cards win at once.",
    settings=SETTINGS,
    wagers=(
        WagerKind(name=FIRST, also=("wager", "initial"), required=True, rule=DESCRIPTION, meaning="before the first card"),
        WagerKind(name=SECOND, before_deal=False, rule=DESCRIPTION, meaning="after the first card of each box"),
        WagerKind(name=THIRD, before_deal=False, rule=DESCRIPTION, meaning="after the dealer's up card"),
        WagerKind(name="insurance", before_deal=False, rule=RULES.insurance, meaning="while the dealer shows an ace"),
        WagerKind(name="double", before_deal=False, rule=RULES.double, meaning="with two or more cards"),
    ),
    deck=forty_eight.deck,
    deals={Method.MANUAL_SHOE: _deal},
    absent=c.singly(c.memory("triple attack from the hand", "it is dealt from a shoe of several decks")),
    play=_play,
    irregularities=_irregularities,
    judge=_judge,
    stub=None,
    shoe_game=True,
    may_run_out=True,
    cards_needed=steps.cards_needed,
    is_natural=steps.is_blackjack,
)
