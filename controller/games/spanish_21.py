"""Spanish 21, N.J.A.C. 13:69F-19.

Blackjack with 48-card decks: doubling on any number of cards and a rescue after it, bonuses for certain 21s; a player's 21 beats a dealer's
and a player's blackjack a dealer's. Read in law: the layout of 13:69E-1.10B, which prints the odds of blackjack and insurance and the
dealer's rule. Subchapter 19 itself was not reachable: the rest is parallel law and analogy, and says so.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from fractions import Fraction
from typing import Final

from controller.dealing.game import Game, Judged
from controller.dealing.round import PlayedHand, Round, Seat
from controller.dealing.settings import Plain, Setting, Settings
from controller.dealing.steps import Deal, Face, Method, Remedy, Step, WagerKind, Wagers, Who
from controller.games import blackjack_48 as forty_eight
from controller.games import blackjack_family as family
from controller.games import blackjack_steps as steps
from controller.games import common as c
from controller.games.blackjack_family import Rules, SideResult, Terms
from controller.games.pay import Odds, check_odds, odds_for
from controller.hands import points
from firmware_bridge.cards import Card

MAIN: Final = "spanish_21"
MATCH: Final = "match_the_dealer"
SUPER: Final = "super_bonus"
SHEETS: Final = c.parallel("casino rule sheets")
LAYOUT: Final = c.law_69e("1.10B(b)3")
SPADES: Final = 4
BONUS: Final[dict[str, Plain]] = {
    "five-cards": "3 to 2", "six-cards": 2, "seven-cards": 3, "6-7-8-mixed": "3 to 2", "6-7-8-suited": 2, "6-7-8-spades": 3,
    "7-7-7-mixed": "3 to 2", "7-7-7-suited": 2, "7-7-7-spades": 3,
}  # fmt: skip
MATCHES: Final[dict[int, dict[str, Plain]]] = {6: {"suited": 9, "unsuited": 4}, 8: {"suited": 12, "unsuited": 3}}
"""Odds of a match with the dealer's up card, by decks."""
SUPER_FROM: Final = 500
SUPER_LARGE_FROM: Final = 2500
SUPER_SMALL, SUPER_LARGE, SUPER_OTHERS = 100_000, 500_000, 5_000
"""Cents: 1,000 for a wager of 5 to under 25, 5,000 from 25, and 50 for each other player."""

RULES: Final = Rules(
    deal=c.parallel("PA 685a.7(e)"),
    hole=c.parallel("PA 685a.7(e)4", "face down; the late surrender needs a hole card"),
    look=c.analogy("2B.1", "a card reader; a dealer's blackjack ends the round"),
    insurance=c.law_69e("1.10B(b)3iii", "2 to 1"),
    hit=c.analogy("26.12(a)"),
    stand=c.memory("standing"),
    double=c.parallel("PA 635a.10", "any number of cards, at most the wager; one card"),
    split=c.parallel("PA 633a.11", "two cards of one value, up to four hands, aces too"),
    split_aces=SHEETS,
    surrender=c.parallel("casino rule sheets", "half of the wager, before any other decision, not against a dealer's blackjack"),
    blackjack=c.law_69e("1.10B(b)3i", "3 to 2; that it always wins: casino rule sheets"),
    bust=c.memory("bust", "wager and cards are collected at once"),
    closed_21=c.analogy("26.12(a)1"),
    dealer=c.law_69e("1.10B(b)3ii", "draws to 16 and stands on all 17s"),
    settle=c.analogy("26.5(a)", "from the dealer's right, counterclockwise"),
    dealer_blackjack=c.parallel("PA 633a.11(d)", "only the first wager is collected"),
    collect=c.law_69e("1.10B(e)", "so that hands can be rebuilt"),
    at_once=c.parallel("PA 635a.12(b)", "a player's 21 wins at once, with bonus odds where it has them, never when doubled"),
    rescue=c.parallel("PA 635a.10", "after a double, 21 or less: the doubled part goes back, the first wager is lost"),
)

SETTINGS = (
    c.seats_setting(6, 1, 6, c.law_69e("1.10B(a)")),
    forty_eight.decks_setting(6, c.analogy("26.2(a)")),
    c.SHOE_START_BURN,
    steps.new_dealer_setting(),
    steps.reader_setting(c.analogy("2B.1")),
    forty_eight.hands_setting(SHEETS),
    Setting(
        name="bonus_table", default=dict(BONUS), rule=c.parallel("PA 635a.12(b)"), meaning="odds of a 21 that is not doubled, by hand",
        check=lambda value: check_odds(value, BONUS, "five-cards"),
    ),
    Setting(
        name="match_table", default={}, rule=c.parallel("odds analysis"),
        meaning="odds of each first card of the up card's rank, suited and unsuited; empty: 9 and 4 with six decks, 12 and 3 with eight",
        check=lambda value: check_odds(value, ("suited", "unsuited"), "suited"),
    ),
    steps.yes_or_no("super_bonus", "suited sevens against a dealer's seven win a fixed sum, and the others at the table too",
                    c.parallel("PA 635a.12(c)"), default=True),
)  # fmt: skip


@functools.lru_cache(maxsize=64)  # asked for with every card; a procedure has one table of settings
def terms(settings: Settings) -> Terms:
    """What this table plays."""
    return Terms(
        rules=RULES,
        stakes=(MAIN,),
        hits_soft_17=False,
        blackjack_odds=Fraction(3, 2),
        blackjack_always_wins=True,
        twenty_one_always_wins=True,
        most_hands=settings.number("most_hands"),
        split_aces="play",
        resplits_aces=True,
        doubles_any_cards=True,
        rescue=True,
        special=functools.partial(_special, settings),
        sides=_sides,
        pays_others=settings.flag("super_bonus"),
    )


# ---- bonuses


def bonus_name(cards: tuple[Card, ...]) -> str:
    """The best name of a 21 in the bonus table; empty when it has none."""
    ranks = tuple(sorted(card.rank for card in cards))
    if ranks in ((6, 7, 8), (7, 7, 7)):
        kind = "-".join(map(str, ranks))
        if not points.one_suit(cards):
            return f"{kind}-mixed"
        return f"{kind}-spades" if cards[0].suit == SPADES else f"{kind}-suited"
    return {5: "five-cards", 6: "six-cards"}.get(len(cards), "seven-cards" if len(cards) >= 7 else "")


def _special(settings: Settings, cards: tuple[Card, ...], hand: PlayedHand) -> tuple[str, Odds] | None:
    name = bonus_name(cards)
    odds = odds_for(settings.table("bonus_table"), name) if name else None
    return None if odds is None else (f"21, {name}", odds)


def _sides(settings: Settings, round_: Round, seat: Seat) -> Mapping[str, SideResult]:
    return {**_match(settings, round_, seat), **(_super(round_, seat) if settings.flag("super_bonus") else {})}


def _match(settings: Settings, round_: Round, seat: Seat) -> Mapping[str, SideResult]:
    """Each of the first two cards that has the up card's rank wins; two matches add up."""
    up, own = family.up_card(round_), family.first_two(round_, seat.number)
    if MATCH not in seat.wagers or up is None or len(own) != 2:
        return {}
    table = settings.table("match_table") or MATCHES[settings.number("decks")]
    hits = ["suited" if card.suit == up.suit else "unsuited" for card in own if card.rank == up.rank]
    amount = seat.wagers[MATCH]
    if not hits:
        return {MATCH: ("lose", c.lost(amount))}
    odds = sum((odds_for(table, hit) or 0 for hit in hits), start=Fraction(0))
    return {MATCH: ("win", None if amount is None else family.paid(amount, odds))}


def _super(round_: Round, seat: Seat) -> Mapping[str, SideResult]:
    """Three sevens of one suit, neither doubled nor split, against a dealer's seven."""
    up = family.up_card(round_)
    if up is None or up.rank != points.SEVEN:
        return {}
    winners = {number: round_.seats[number].wagers[MAIN] for number in round_.live_seats() if _has_super(round_, number)}
    if seat.number in winners:
        amount = winners[seat.number]
        if amount is None or amount >= SUPER_FROM:
            return {SUPER: ("win", None if amount is None else SUPER_LARGE if amount >= SUPER_LARGE_FROM else SUPER_SMALL)}
        return {}
    paid = any(amount is None or amount >= SUPER_FROM for amount in winners.values())
    return {SUPER: ("win", SUPER_OTHERS)} if paid else {}


def _has_super(round_: Round, number: int) -> bool:
    places = round_.played_by(number)
    if len(places) != 1 or round_.played[places[0]].doubled:
        return False
    cards = family.open_cards(round_, places[0])
    return [card.rank for card in cards] == [points.SEVEN] * 3 and points.one_suit(cards)


# ---- the game


def _deal(settings: Settings) -> tuple[Step, ...]:
    return (
        Wagers(rule=c.analogy("26.6(b)", "both wagers before the first card")),
        *steps.opening_burn(settings),
        Deal(to=(Who.WAGERED, Who.DEALER), facing=(Face.UP,), rule=RULES.deal),
        Deal(to=(Who.WAGERED,), facing=(Face.UP,), rule=RULES.deal),
        Deal(to=(Who.DEALER,), facing=(Face.DOWN,), rule=RULES.hole),
        steps.insurance(terms(settings), of=(MAIN,)),
    )


def _play(settings: Settings) -> tuple[Step, ...]:
    return steps.play(terms(settings), settings)


def _irregularities(method: Method) -> Mapping[str, Remedy]:
    return forty_eight.irregularities(c.analogy("26.15(b)", "the treatment of the round is not in the text that was read"))


def _judge(settings: Settings, round_: Round) -> list[Judged]:
    return family.judge(terms(settings), settings, round_)


GAME = Game(
    key="spanish-21",
    title="Spanish 21",
    law="13:69F-19",
    summary="Blackjack without tens: every 21 of a player wins, bonuses for some, doubling on any cards with a rescue.",
    settings=SETTINGS,
    wagers=(
        WagerKind(name=MAIN, also=("wager", "initial"), required=True, rule=c.law_69e("1.10B(b)2"), meaning="before the cards"),
        WagerKind(name=MATCH, side=True, rule=c.law_69e("1.10B(b)2"), meaning="optional, before the cards"),
        WagerKind(name="insurance", before_deal=False, rule=RULES.insurance, meaning="while the dealer shows an ace"),
        WagerKind(name="double", before_deal=False, rule=RULES.double, meaning="with two or more cards"),
    ),
    deck=forty_eight.deck,
    deals={Method.MANUAL_SHOE: _deal},
    absent=c.singly(c.memory("spanish 21 from the hand", "it is dealt from a shoe of several decks")),
    play=_play,
    irregularities=_irregularities,
    judge=_judge,
    stub=None,
    shoe_game=True,
    may_run_out=True,
    cards_needed=steps.cards_needed,
    is_natural=steps.is_blackjack,
)
