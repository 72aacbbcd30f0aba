"""Blackjack, N.J.A.C. 13:69F-2.

Each box plays alone against the dealer; nearer to 21 without passing it wins, and an ace with a card of ten as first two cards is the top
hand. Read in law: the decks and side wagers of 2.2, the cut of 2.5, the definitions of 2B.1. How cards are dealt, drawn and settled, and
the irregularities, rest on parallel law, sister games and the trade, and say so.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Final

from controller.dealing.game import Game, Judged
from controller.dealing.round import Round, Seat
from controller.dealing.rules import Rule
from controller.dealing.settings import Plain, Setting, Settings
from controller.dealing.steps import Deal, Face, Method, Remedy, Step, WagerKind, Wagers, Who
from controller.decks import DeckSpec
from controller.games import blackjack_family as family
from controller.games import blackjack_steps as steps
from controller.games import common as c
from controller.games.blackjack_family import Rules, SideResult, Terms

MAIN: Final = "initial"
MOST_BY_HAND: Final = 2
"""Dealt from the hand with one or two decks only (13:69F-2.2(a)1)."""

RULES: Final = Rules(
    deal=c.parallel("PA 685a.7(e)"),
    hole=c.law("2B.1", "the dealer's second card is the hole card"),
    look=c.memory("hole card reader", "13:69F-2B.1 names the device; when the dealer looks was not read"),
    insurance=c.analogy("26.11(a)"),
    hit=c.analogy("26.12(a)"),
    stand=c.memory("standing"),
    double=c.analogy("26.9(a)", "at most the initial wager: the trade's pattern"),
    split=c.parallel("PA 633a.11", "two cards of one value; dealer's left hand first; the house says how often"),
    split_aces=c.memory("split aces", "one card each"),
    surrender=c.analogy("2A.9(a)", "half of the wager, before any other signal"),
    blackjack=c.law("2B.1", "ace and a card of ten, not after a split; paid at once where the dealer can have none: the trade's pattern"),
    bust=c.memory("bust", "wager and cards are collected at once"),
    closed_21=c.analogy("26.12(a)1", "neither a blackjack nor a hard 21 may draw"),
    dealer=c.parallel("205 CMR 146.13(3)", "the two printed layouts; the dealer draws only where a live wager depends on it"),
    settle=c.analogy("26.5(a)", "from the dealer's right, counterclockwise"),
    dealer_blackjack=c.parallel("PA 633a.11(d)", "after splits and doubles only the initial wager is collected"),
    collect=c.analogy("34.12(j)", "far right first, the dealer's hand last"),
    at_once=c.memory("bust"),
    rescue=c.memory("double down rescue"),
)

SIDES: Final[Mapping[str, tuple[str, str, tuple[int, ...], Rule]]] = {
    "additional": ("additional wager of 2.17", "at least 4 decks", tuple(range(4, 9)), c.law("2.2(a)3")),
    "progressive": ("progressive blackjack wager", "at least 4 decks", tuple(range(4, 9)), c.law("2.2(a)3")),
    "match_the_dealer": ("match-the-dealer wager", "6 or 8 decks", (6, 8), c.law("2.2(a)4")),
    "twenty_point_bonus": ("20-point bonus wager", "at least 2 decks", tuple(range(2, 9)), c.law("2.2(a)2")),
    "optional_bonus": ("optional bonus wager of 2.25", "6 or 8 decks", (6, 8), c.law("2.2(a)4")),
    "in_between": ("in-between wager", "at least 2 decks", tuple(range(2, 9)), c.law("2.2(a)2")),
}
"""Side wagers: (words, limit in words, decks with which each may be offered, rule)."""


def _check_sides(value: Plain) -> str:
    if value is None:
        return ""
    if not isinstance(value, list) or any(name not in SIDES for name in value):
        return f"it is a list of {', '.join(SIDES)}"
    return ""


SETTINGS = (
    c.seats_setting(7, 1, 7, c.parallel("205 CMR 146.13", "at most seven; New Jersey the same by memory")),
    Setting(
        name="decks", default=8, between=(1, steps.MOST_DECKS), meaning="decks in the shoe; 1 or 2 from the hand",
        rule=c.law("2.2(a)", "at least one; no text names the most, eight is the trade's"), limit_rule=c.law("2.2(a)"),
    ),
    c.SHOE_START_BURN,
    steps.new_dealer_setting(),
    steps.yes_or_no("dealer_hits_soft_17", "the dealer draws to a soft 17 as well", c.parallel("205 CMR 146.13(3)"), default=False),
    steps.odds_setting("blackjack_odds", "3 to 2", ("3 to 2", "6 to 5"), "what a blackjack is paid", c.parallel("205 CMR 146.13(3)(a)")),
    steps.odds_setting("insurance_odds", "2 to 1", ("2 to 1",), "what insurance is paid", c.parallel("205 CMR 146.13(3)")),
    steps.reader_setting(c.law("2B.1")),
    steps.yes_or_no("surrender", "half of the wager may be given up", c.analogy("2A.9(a)"), default=True),
    Setting(
        name="most_hands", default=4, between=(2, 7), meaning="hands that one box may have after splits",
        rule=c.parallel("PA 633a.11(c)", "set by the house"),
    ),
    steps.yes_or_no("resplit_aces", "split aces may be split again", c.parallel("PA 633a.11(c)", "set by the house"), default=False),
    Setting(
        name="split_aces", default="one-card", allowed=("one-card", "play"), rule=c.house("split_aces", "one card each is usual"),
        meaning="split aces get one card each, or are played like other hands",
    ),
    steps.yes_or_no("double_after_split", "hands that were split may be doubled", c.house("double_after_split"), default=True),
    steps.yes_or_no("soft_21_may_draw", "a soft 21 may draw", c.house("soft_21_may_draw", "the text bars a hard 21"), default=False),
    Setting(
        name="side_wagers", default=None, check=_check_sides, rule=c.law("2.2(a)"),
        meaning="side wagers that are offered; none: all that the number of decks permits; their odds are not in the text that was read",
    ),
)  # fmt: skip


@functools.lru_cache(maxsize=64)  # asked for with every card; a procedure has one table of settings
def terms(settings: Settings) -> Terms:
    """What this table plays."""
    return Terms(
        rules=RULES,
        stakes=(MAIN,),
        hits_soft_17=settings.flag("dealer_hits_soft_17"),
        blackjack_odds=steps.odds_of(settings, "blackjack_odds"),
        soft_21_may_draw=settings.flag("soft_21_may_draw"),
        most_hands=settings.number("most_hands"),
        split_aces=settings.text("split_aces"),
        resplits_aces=settings.flag("resplit_aces"),
        doubles_after_split=settings.flag("double_after_split"),
        surrender="first-two" if settings.flag("surrender") else "off",
        insurance_odds=lambda dealer: steps.odds_of(settings, "insurance_odds"),
        sides=_sides,
    )


def _is_offered(name: str, settings: Settings) -> bool:
    """The side wager is offered at a table with these settings."""
    chosen = settings.as_dict()["side_wagers"]
    return name in chosen if isinstance(chosen, list) else settings.number("decks") in SIDES[name][2]


def _offers(name: str) -> Callable[[Settings], bool]:
    return functools.partial(_is_offered, name)


def _forbids(settings: Settings) -> tuple[str, Rule] | None:
    decks = settings.number("decks")
    for name in settings.items("side_wagers"):
        words, limit, allowed, rule = SIDES[str(name)]
        if decks not in allowed:
            return f"the {words} takes {limit}, and `decks` is {decks}", rule
    return None


def _permitted(settings: Settings) -> Mapping[Method, Rule | None]:
    by_hand = None if settings.number("decks") <= MOST_BY_HAND else c.law("2.2(a)1", "one or two decks from the hand; set `decks`")
    return {Method.MANUAL_SHOE: None, Method.HAND: by_hand}


def _sides(settings: Settings, round_: Round, seat: Seat) -> Mapping[str, SideResult]:
    """Odds and winning hands of the side wagers were not reachable: they are settled outside of this record."""
    return {name: ("odds", None) for name in seat.wagers if name in SIDES}


def _deal(settings: Settings) -> tuple[Step, ...]:
    return (
        Wagers(rule=c.analogy("31.8(a)", "all wagers before the first card")),
        *steps.opening_burn(settings),
        Deal(to=(Who.WAGERED, Who.DEALER), facing=(Face.UP,), rule=RULES.deal),
        Deal(to=(Who.WAGERED,), facing=(Face.UP,), rule=RULES.deal),
        Deal(to=(Who.DEALER,), facing=(Face.DOWN,), rule=RULES.hole),
        steps.insurance(terms(settings), of=(MAIN,)),
    )


def _play(settings: Settings) -> tuple[Step, ...]:
    return steps.play(terms(settings), settings)


def _irregularities(method: Method) -> Mapping[str, Remedy]:
    return steps.irregularities()


def _judge(settings: Settings, round_: Round) -> list[Judged]:
    return family.judge(terms(settings), settings, round_)


GAME = Game(
    key="blackjack",
    title="Blackjack",
    law="13:69F-2",
    summary="Each box alone against the dealer, nearer to 21; hit, stand, double, split, surrender, insurance.",
    settings=SETTINGS,
    wagers=(
        WagerKind(name=MAIN, also=("wager",), required=True, rule=c.law("2.2(a)"), meaning="before the cards"),
        *(
            WagerKind(name=name, side=True, rule=rule, meaning=f"optional, before the cards: {words}", offered=_offers(name))
            for name, (words, _, _, rule) in SIDES.items()
        ),
        WagerKind(name="insurance", before_deal=False, rule=RULES.insurance, meaning="while the dealer shows an ace"),
        WagerKind(name="double", before_deal=False, rule=RULES.double, meaning="with the first two cards of a hand"),
    ),
    deck=lambda settings: DeckSpec(decks=settings.number("decks")),
    deals={Method.MANUAL_SHOE: _deal, Method.HAND: _deal},
    absent=c.singly(),
    play=_play,
    irregularities=_irregularities,
    judge=_judge,
    stub=None,
    shoe_game=True,
    may_run_out=True,
    permitted=_permitted,
    forbids=_forbids,
    cards_needed=steps.cards_needed,
    is_natural=steps.is_blackjack,
)
