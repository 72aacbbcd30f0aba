"""Double Down Stud, N.J.A.C. 13:69F-17.

One card face up for each seat and four community cards, three of them face up. Before the fourth is turned a seat may double its
wager once. There is no dealer hand and no fold: the five cards are paid by posted odds, a pair of sixes to tens pushes. Read in law: the
ranks, 17.5. Nearly everything else comes from descriptions of the game, from sister games or from the trade's memory, and says so; a
casino replaces it by its Rules of the Games Submission.
"""

from __future__ import annotations

from collections.abc import Mapping

from controller.dealing.game import Game, Judged
from controller.dealing.round import COMMUNITY, Round, seat_place
from controller.dealing.settings import Plain, Settings
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
from controller.games import stud
from controller.games.pay import posted_settings
from controller.hands.poker import evaluate

WAGERS = ("wager", "raise")
UP, DOWN = Face.UP, Face.DOWN
DESCRIPTIONS = "game descriptions: double down stud"
AS_DESCRIBED = c.parallel(DESCRIPTIONS, "17.6 to 17.12 were not reachable")
POSTED = c.parallel(DESCRIPTIONS, "the same odds for the wager and the double; some descriptions pay a royal flush 2000 to 1")
ODDS: dict[str, Plain] = {
    "royal-flush": 1000, "straight-flush": 200, "four-of-a-kind": 50, "full-house": 11, "flush": 8, "straight": 5, "three-of-a-kind": 3,
    "two-pair": 2, "pair": 1,
}  # fmt: skip
SUBMITTED = c.house("methods_permitted", "whether the chapter lets this game be dealt by stacks of one card was not reachable")

SETTINGS = (
    c.seats_setting(7, 1, 7, c.house("seats", "the number of positions was not reachable")),
    c.stub_every(c.analogy("35.9(e)")),
    c.TWO_DECKS,
    *posted_settings(ODDS, POSTED, wins_from="J", pushes_from="6", limit=None, limit_rule=c.house("payout_limit", "not reachable")),
    c.methods_setting((Method.MANUAL_SHOE, Method.HAND), SUBMITTED),
)


def _community() -> Deal:
    return Deal(to=(Who.COMMUNITY,), facing=(UP, UP, UP, DOWN), rule=c.parallel(DESCRIPTIONS, "three face up, the fourth face down"))


def _cards_by_pass(settings: Settings) -> tuple[Step, ...]:
    return (
        Wagers(rule=c.NO_MORE_BETS),
        Deal(to=(Who.WAGERED,), facing=(UP,), rule=c.parallel(DESCRIPTIONS, "one card face up to each seat with a wager")),
        _community(),
        Stub(rule=c.analogy("23.8(d)")),
    )


def _stacks(settings: Settings) -> tuple[Step, ...]:
    return (
        Wagers(rule=c.NO_MORE_BETS),
        Stack(to=(Who.WAGERED,), size=1, facing=(UP,), rule=c.analogy("35.9(c)", "the stack is the player's cards, here one")),
        _community(),
        Stub(rule=c.analogy("35.9(d)")),
    )


def _play(settings: Settings) -> tuple[Step, ...]:
    double = Option(
        choose="raise", also=("double",), meaning="double the wager", places="raise", size=c.times("wager", 1),
        rule=c.parallel(DESCRIPTIONS, "exactly the initial wager, once"),
    )  # fmt: skip
    stand = Option(choose="stand", also=("check",), meaning="stay with the initial wager; there is no fold", rule=AS_DESCRIBED)
    return (
        Decide(options=(double, stand), rule=c.analogy("33.10(a)3", "clockwise from seat 1")),
        ExposeCards(what=Who.COMMUNITY, cards=(4,), rule=AS_DESCRIBED),
        Settle(face_up=True, rule=c.analogy("21.8(k)", "right first, counterclockwise; all hands lie face up")),
        Collect(rule=c.analogy("21.8(o)", "so that each hand can be rebuilt")),
    )


def _irregularities(method: Method) -> Mapping[str, Remedy]:
    seen = Remedy(
        "all-hands-void",
        c.analogy("28.12(a)"),
        "The fourth community card seen before all have decided: all hands void, the wagers go back.",
    )
    return stud.irregularities(method, dealer=False, community=True, more={"community-card-exposed": seen})


def _judge(settings: Settings, round_: Round) -> list[Judged]:
    board = round_.shown_cards(COMMUNITY)
    judged = []
    for number, seat in sorted(round_.seats.items()):
        own = round_.shown_cards(seat_place(number))
        if seat.live and len(own) == 1 and len(board) == 4:
            slip, hand = stud.Slip(seat), evaluate((*own, *board))
            slip.posted(settings, hand, *WAGERS, at_minimum=1)
            judged.append(slip.judged(POSTED, hand.text))
    return judged


GAME = Game(
    key="double-down-stud",
    title="Double Down Stud",
    law="13:69F-17",
    summary="One own card and four community cards; one chance to double; posted odds, no dealer hand.",
    settings=SETTINGS,
    wagers=(
        WagerKind(name="wager", required=True, rule=AS_DESCRIBED, meaning="before the cards"),
        WagerKind(name="raise", before_deal=False, rule=AS_DESCRIBED, meaning="the double, before the last card is turned"),
    ),
    deck=lambda settings: DeckSpec(decks=1),
    deals={Method.MANUAL_SHOE: _cards_by_pass, Method.HAND: _cards_by_pass, Method.AUTOMATED_SHOE: _stacks},
    play=_play,
    irregularities=_irregularities,
    judge=_judge,
    stub=c.stub_check(c.analogy("35.9(e)")),
    cards_needed=lambda settings, seats: seats + 4,
    permitted=c.permitted_by_setting(SUBMITTED),
)
