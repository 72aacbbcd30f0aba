"""Mississippi Stud, N.J.A.C. 13:69F-35.

Two cards to each wagering seat and three community cards, all face down. After each look (two cards, first and second community card)
every seat bets one to three times the ante or folds. The dealer has no hand: the five cards are paid by posted odds, a pair of sixes to
tens pushes. Read in law: 35.1, 35.9 and 69E-1.13X. The odds come from parallel law; the deal from the shoe and from the hand, the side
wagers and the irregularities are drawn from sister games or known as the trade's pattern, and say so.
"""

from __future__ import annotations

from collections.abc import Mapping

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
    Stack,
    Step,
    Stub,
    WagerKind,
    Wagers,
    Who,
)
from controller.decks import DeckSpec
from controller.games import common as c
from controller.games import stud
from controller.games.pay import check_three_card_table, posted_settings, three_card_name
from controller.hands.poker import evaluate
from controller.hands.three_card import ThreeCardHand, evaluate_three

STREETS = ("third_street", "fourth_street", "fifth_street")
BONUS = "three_card_bonus"
DOWN2, DOWN3 = (Face.DOWN,) * 2, (Face.DOWN,) * 3
POSTED = c.parallel("PA 655a.12(a)", "the ante and every bet at the same odds; the same table stands on a New Jersey casino's sheet")
ODDS: dict[str, Plain] = {
    "royal-flush": 500, "straight-flush": 100, "four-of-a-kind": 40, "full-house": 10, "flush": 6, "straight": 4, "three-of-a-kind": 3,
    "two-pair": 2, "pair": 1,
}  # fmt: skip
BONUS_RULE = c.parallel("casino sheet: three card bonus", "on the community cards alone, live even after a fold; not read in the law")
BONUS_ODDS: dict[str, Plain] = {"mini-royal": 50, "straight-flush": 40, "three-of-a-kind": 30, "straight": 6, "flush": 3, "pair": 1}
LIMIT = 50_000
"""Whole currency units that one hand wins at most (PA 655a.12(b))."""
WAGERS_TO_THE_END = 4
"""A hand that is paid holds the ante and three bets, each at least the minimum."""
WRONG_NUMBER = Remedy(
    "all-hands-void", c.memory("wrong number of cards"), "A wrong number of cards at a seat or in the community area: all hands void."
)

SETTINGS = (
    c.seats_setting(6, 6, 6, c.law_69e("1.13X(a)", "six betting positions")),
    c.stub_every(c.law("35.9(e)")),
    c.TWO_DECKS,
    *posted_settings(ODDS, POSTED, wins_from="J", pushes_from="6", limit=LIMIT, limit_rule=c.parallel("PA 655a.12(b)")),
    Setting(
        name="three_card_bonus_table", default=BONUS_ODDS, check=check_three_card_table, rule=BONUS_RULE,
        meaning="odds to one of the bonus on the three community cards, by hand; empty: settled outside of this record",
    ),
    stud.SETTLEMENT_PASSES,
    Setting(
        name="turn_after_all_fold", default="side-wagers", allowed=("side-wagers", "always"),
        meaning="whether the community cards are turned when every seat has folded: only for a side wager on them, or always",
        rule=c.house("turn_after_all_fold", "35.10 to 35.13 were not reachable"),
    ),
)  # fmt: skip


def _cards_by_pass(settings: Settings) -> tuple[Step, ...]:
    community = c.analogy("35.9(d)", "after the players' cards, as from the automated shoe; 35.7 and 35.8 were not reachable")
    return (
        Wagers(rule=c.analogy("31.8(a)")),
        Deal(to=(Who.WAGERED,), facing=DOWN2, rule=c.analogy("23.8(c)")),
        Deal(to=(Who.COMMUNITY,), facing=DOWN3, rule=community),
        Stub(rule=c.analogy("35.9(d)")),
    )


def _stacks(settings: Settings) -> tuple[Step, ...]:
    return (
        Wagers(rule=c.law("35.9(b)2")),
        Stack(to=(Who.WAGERED,), size=2, facing=DOWN2, rule=c.law("35.9(c)", "stacks of two, 35.9(a)")),
        Deal(to=(Who.COMMUNITY,), facing=DOWN3, rule=c.law("35.9(d)", "from the hand, the shoe emptied")),
        Stub(rule=c.law("35.9(d)", "unexposed, unless it is counted now")),
    )


def _anyone_or_a_bonus_left(round_: Round) -> bool:
    return any(seat.live or BONUS in seat.wagers for seat in round_.seats.values())


def _play(settings: Settings) -> tuple[Step, ...]:
    when = None if settings.text("turn_after_all_fold") == "always" else _anyone_or_a_bonus_left
    steps: list[Step] = []
    for number, street in enumerate(STREETS, start=1):
        steps.append(_decision(number, street))
        turned = c.law("35.1", "after all seats still in have bet or folded")
        steps.append(ExposeCards(what=Who.COMMUNITY, cards=(number,), when=when, rule=turned))
    return (*steps, stud.settle(settings), Collect(rule=c.analogy("33.10(i)", "so that each hand can be rebuilt")))


def _decision(number: int, street: str) -> Decide:
    words = street.replace("_", " ")
    bet = Option(
        choose=street, also=("bet",), meaning=f"place the {words} wager and stay", places=street, rule=c.law("35.1"),
        size=Size(of=("ante",), percent=(100, 200, 300)),
    )  # fmt: skip
    rule = c.law("35.1", "the two cards are discarded before betting, there is no checking; that the wagers are lost: casino sheets")
    fold = stud.fold(("ante", *STREETS[: number - 1]), rule, stays_under=BONUS, meaning="give up the ante and the bets placed")
    return Decide(options=(bet, fold), rule=c.memory("clockwise decisions", "seat 1 first; the order was not read"))


def _irregularities(method: Method) -> Mapping[str, Remedy]:
    more = {
        "wrong-count-seat": WRONG_NUMBER,
        "wrong-count-community": WRONG_NUMBER,
        "community-card-exposed": Remedy(
            "all-hands-void",
            c.house("community-card-exposed", "not reachable; the safest is that all wagers go back"),
            "A community card seen before its decisions are complete: all hands void, all wagers go back.",
        ),
        "too-few-cards": c.TOO_FEW,
    }
    return stud.irregularities(method, dealer=False, community=True, more=more)


def _judge(settings: Settings, round_: Round) -> list[Judged]:
    board = round_.shown_cards(COMMUNITY)
    judged = []
    for _, seat in sorted(round_.seats.items()):
        slip, hand, rule = stud.Slip(seat), "", POSTED
        own = c.kept_cards(seat)
        if seat.status == "folded":
            slip.lose("ante", *STREETS)
            rule = c.law("35.1")
        elif seat.exposed and len(own) == 2 and len(board) == len(STREETS):
            ranked = evaluate((*own, *board))
            slip.posted(settings, ranked, "ante", *STREETS, at_minimum=WAGERS_TO_THE_END)
            hand = ranked.text
        else:
            continue
        if slip.has(BONUS):
            if len(board) < len(STREETS):
                continue
            _settle_bonus(settings, slip, evaluate_three(board))
        judged.append(slip.judged(rule, hand))
    return judged


def _settle_bonus(settings: Settings, slip: stud.Slip, board: ThreeCardHand) -> None:
    table = settings.table("three_card_bonus_table")
    slip.by_table(BONUS, table, three_card_name(table, board))


GAME = Game(
    key="mississippi-stud",
    title="Mississippi Stud",
    law="13:69F-35",
    summary="Two own and three community cards; bet one to three antes or fold three times; posted odds, no dealer hand.",
    settings=SETTINGS,
    wagers=(
        WagerKind(name="ante", required=True, rule=c.law("35.1"), meaning="before the cards"),
        WagerKind(name=BONUS, side=True, rule=BONUS_RULE, meaning="optional, before the cards, on the community cards alone"),
        *(
            WagerKind(
                name=street, before_deal=False, rule=c.law_69e("1.13X(b)4"), meaning=f"after {looked}, one, two or three times the ante"
            )
            for street, looked in zip(STREETS, ("two cards", "the first community card", "the second community card"), strict=True)
        ),
    ),
    deck=lambda settings: DeckSpec(decks=1),
    deals={Method.MANUAL_SHOE: _cards_by_pass, Method.HAND: _cards_by_pass, Method.AUTOMATED_SHOE: _stacks},
    play=_play,
    irregularities=_irregularities,
    judge=_judge,
    stub=c.stub_check(c.law("35.9(e)")),
    cards_needed=lambda settings, seats: 2 * seats + 3,
)
