"""Double Cross Poker, N.J.A.C. 13:69F-25.

Two cards to each wagering seat and to the dealer; five community cards laid out as a cross and turned in steps, with a raise or a check
after each step but the last. A hand is the two own cards with one line of the cross. Read in law: the openings of 25.4 to 25.9, that is
the methods and the stacks of two. The layout comes from the Massachusetts rule. How the cross is turned, how hands are formed and what is
paid were not reachable; they are house settings, and say so.
"""

from __future__ import annotations

from collections.abc import Mapping

from controller.dealing.game import Game, Judged
from controller.dealing.round import COMMUNITY, DEALER, Round, seat_place
from controller.dealing.rules import Rule
from controller.dealing.settings import Plain, Setting, Settings, nearest, shown
from controller.dealing.steps import (
    Burn,
    Collect,
    Deal,
    Decide,
    ExposeCards,
    Face,
    Method,
    Option,
    Remedy,
    Step,
    Stub,
    WagerKind,
    Who,
)
from controller.decks import DeckSpec
from controller.games import common as c
from controller.games import stud
from controller.games.pay import check_three_card_table, parse_odds, three_card_name
from controller.hands.poker import PokerHand, evaluate
from controller.hands.three_card import evaluate_three
from firmware_bridge.cards import Card

RAISES = ("first_raise", "second_raise", "third_raise", "fourth_raise")
"""Each seat has four raise areas (MA 205 CMR 146.33(2)(c))."""
SIDE = "three_card_wager"
CROSS = ("left", "right", "above", "below", "centre")
LINES = (("left", "centre", "right"), ("above", "centre", "below"))
TURNS: list[Plain] = [["left", "right"], ["above", "below"], ["centre"]]
LAYOUT = c.parallel("MA 205 CMR 146.33(2)", "ante in the middle, four raise areas around it, a three-card wager area")
WAGERING = c.law("25.6(a)", "by chips, plaques or match play coupons, never spoken with cash; only seated players wager (25.6(b))")
SECTION = "25.10 and what follows were not reachable"


def _check_order(value: Plain) -> str:
    if not isinstance(value, list) or sorted(map(str, value)) != sorted(CROSS):
        return f"it names each of {', '.join(CROSS)} once, in the order in which the cards are laid"
    return ""


def _check_turns(value: Plain) -> str:
    if not isinstance(value, list) or not all(isinstance(cards, list) for cards in value):
        return 'it is a list of lists, such as [["left", "right"], ["above", "below"], ["centre"]]'
    named = [str(card) for cards in value if isinstance(cards, list) for card in cards]
    unknown = next((card for card in named if card not in CROSS), None)
    if unknown is not None:
        return f"the cross has no card '{shown(unknown)}'{nearest(unknown, list(CROSS))}"
    if sorted(named) != sorted(CROSS):
        return "each card of the cross is turned in exactly one of the steps"
    if len(value) - 1 > len(RAISES) or not all(value[1:]):
        return f"at most {len(RAISES)} decisions lie between the steps, and only the first step may turn no card"
    return ""


def _check_odds(value: Plain) -> str:
    return "" if value is None or parse_odds(value) is not None else 'it is odds to one, such as 1 or "3 to 2"'


SETTINGS = (
    c.seats_setting(7, 1, 7, c.parallel("MA 205 CMR 146.33(1)", "at most seven player positions")),
    c.stub_every(c.analogy("35.9(e)")),
    c.TWO_DECKS,
    Setting(
        name="cross_order", default=list(CROSS), check=_check_order, meaning="the order in which the five community cards are laid",
        rule=c.house("cross_order", "when and in what order they are dealt was not reachable"),
    ),
    Setting(
        name="turn_steps", default=TURNS, check=_check_turns,
        meaning="the cards of the cross that are turned together, step by step; every seat decides after each step but the last",
        rule=c.house("turn_steps", SECTION),
    ),
    Setting(
        name="burn_before_cross", default=0, between=(0, 3), meaning="cards burned before the community cards",
        rule=c.house("burn_before_cross", "no burn was seen"),
    ),
    Setting(
        name="raise_size", default=0, between=(0, 10), meaning="a raise as a multiple of the ante; 0: any amount",
        rule=c.house("raise_size", "the size of a raise was not reachable"),
    ),
    Setting(
        name="fold_allowed", default=False, allowed=(False, True), meaning="whether a seat may give up instead of checking",
        rule=c.house("fold_allowed", SECTION),
    ),
    Setting(
        name="hand_formation", default="line", allowed=("line", "any-five"),
        meaning="line: the two own cards with the three of either line of the cross; any-five: the best five of all seven",
        rule=c.house("hand_formation", "the name and the layout point to a line; 25.1 was not reachable"),
    ),
    Setting(
        name="ante_odds", default=None, check=_check_odds,
        meaning="odds to one of a winning ante; none: results say who wins, not how much",
        rule=c.house("ante_odds", SECTION),
    ),
    Setting(
        name="raise_odds", default=None, check=_check_odds, meaning="odds to one of a winning raise; none: as for the ante",
        rule=c.house("raise_odds", SECTION),
    ),
    Setting(
        name="three_card_place", default="none", allowed=("none", *CROSS),
        meaning="the card of the cross that makes the three-card wager's hand with the two own cards; none: not decided",
        rule=c.house("three_card_place", "which three cards it is on was not reachable"),
    ),
    Setting(
        name="three_card_table", default={}, check=check_three_card_table,
        meaning="odds to one of the three-card wager, by hand; empty: settled outside of this record",
        rule=c.house("three_card_table", SECTION),
    ),
)  # fmt: skip


def _cards_by_pass(settings: Settings) -> tuple[Step, ...]:
    deal = c.analogy("23.8(c)", "two passes, the dealer last; 25.7(a) and 25.8(a) permit the shoe and the hand")
    return (*stud.one_by_one(2, deal), *_cross(settings, c.house("cross_order", "after the hands; not reachable")))


def _stacks(settings: Settings) -> tuple[Step, ...]:
    deal = c.law("25.9(a)", "stacks of two; their order by 35.9(c), the dealer last by 28.9")
    by_hand = c.analogy("35.9(d)", "from the hand, since five is no multiple of two")
    return (*stud.by_stacks(2, deal), *_cross(settings, by_hand))


def _cross(settings: Settings, rule: Rule) -> tuple[Step, ...]:
    burns = settings.number("burn_before_cross")
    burn = (Burn(cards=burns, rule=c.house("burn_before_cross")),) if burns else ()
    cards = Deal(to=(Who.COMMUNITY,), facing=(Face.DOWN,) * len(CROSS), rule=rule)
    return (*burn, cards, Stub(rule=c.analogy("35.9(d)")))


def _turn_steps(settings: Settings) -> list[list[str]]:
    return [[str(card) for card in cards] for cards in settings.items("turn_steps") if isinstance(cards, list)]


def _number(settings: Settings, card: str) -> int:
    return settings.items("cross_order").index(card) + 1


def _play(settings: Settings) -> tuple[Step, ...]:
    steps: list[Step] = []
    turns = _turn_steps(settings)
    for number, cards in enumerate(turns):
        if cards:
            places = tuple(sorted(_number(settings, card) for card in cards))
            steps.append(ExposeCards(what=Who.COMMUNITY, cards=places, rule=c.house("turn_steps", f"the cards {' and '.join(cards)}")))
        if number < len(turns) - 1:
            steps.append(_decision(settings, number))
    return (
        *steps,
        ExposeCards(what=Who.DEALER, rule=c.house("dealer's hand", "after the last card of the cross; the dealer always plays")),
        stud.settle(settings, with_folded=SIDE),
        Collect(rule=c.analogy("21.8(o)", "so that each hand can be rebuilt")),
    )


def _decision(settings: Settings, number: int) -> Decide:
    name = RAISES[number]
    placed = Option(
        choose=name, also=("raise",), meaning=f"place the {name.replace('_', ' ')}", places=name,
        size=c.times("ante", settings.number("raise_size"), c.house("raise_size")), rule=LAYOUT,
    )  # fmt: skip
    check = Option(choose="check", meaning="stay without a raise", rule=c.house("turn_steps", SECTION))
    fold = stud.fold(
        ("ante", *RAISES[:number]), c.house("fold_allowed"), stays_under=SIDE, meaning="give up the ante and the raises placed"
    )
    options = (placed, check, fold) if settings.flag("fold_allowed") else (placed, check)
    return Decide(options=options, rule=c.house("turn_steps", "clockwise, as in sister games"))


def _irregularities(method: Method) -> Mapping[str, Remedy]:
    rows = stud.irregularities(method, community=True)
    del rows["community-card-exposed"]
    return rows if method is Method.HAND else rows | {"device-malfunction": c.SHOE_FAILED}


def _judge(settings: Settings, round_: Round) -> list[Judged]:
    board = round_.shown_cards(COMMUNITY)
    dealer = round_.cards_at(DEALER, "compared after it was turned up") if round_.dealer_exposed else ()
    judged = []
    for number, seat in sorted(round_.seats.items()):
        folded = seat.status == "folded"
        waits = SIDE in seat.wagers
        if (folded and not waits) or (seat.exposed and dealer and len(board) == len(CROSS)):
            slip, hand = stud.Slip(seat), ""
            own = round_.cards_at(seat_place(number), "exposed in the settlement") if seat.exposed else ()
            if folded:
                slip.lose("ante", *RAISES)
            else:
                hand = _compare(settings, slip, best_hand(settings, own, board), best_hand(settings, dealer, board))
            _settle_side(settings, slip, own, board)
            judged.append(slip.judged(c.house("hand_formation", SECTION), hand))
    return judged


def _compare(settings: Settings, slip: stud.Slip, own: PokerHand, other: PokerHand) -> str:
    if own.value < other.value:
        slip.lose("ante", *RAISES)
    elif own.value == other.value:
        slip.push("ante", *RAISES)
    else:
        slip.win("ante", odds=parse_odds(settings.as_dict()["ante_odds"]))
        slip.win(*RAISES, odds=parse_odds(settings.as_dict()["raise_odds"]))
    return own.text


def best_hand(settings: Settings, own: tuple[Card, ...], board: tuple[Card, ...]) -> PokerHand:
    """The better of the two lines of the cross with the own cards, or the best five of all seven, as the house has set it."""
    if settings.text("hand_formation") == "any-five":
        return evaluate((*own, *board))
    lines = [tuple(board[_number(settings, card) - 1] for card in line) for line in LINES]
    return max((evaluate((*own, *line)) for line in lines), key=lambda hand: hand.value)


def _settle_side(settings: Settings, slip: stud.Slip, own: tuple[Card, ...], board: tuple[Card, ...]) -> None:
    place, table = settings.text("three_card_place"), settings.table("three_card_table")
    if place == "none" or not slip.has(SIDE):
        slip.by_table(SIDE, {}, "")
        return
    hand = evaluate_three((*own, board[_number(settings, place) - 1]))
    slip.by_table(SIDE, table, three_card_name(table, hand))


GAME = Game(
    key="double-cross-poker",
    title="Double Cross Poker",
    law="13:69F-25",
    summary="Two cards each and a cross of five, turned in steps with a raise or a check; one line with the own cards against the dealer.",
    settings=(*SETTINGS, stud.SETTLEMENT_PASSES),
    wagers=(
        WagerKind(name="ante", required=True, rule=WAGERING, meaning="before the cards"),
        WagerKind(name=SIDE, side=True, rule=LAYOUT, meaning="optional, before the cards"),
        *(
            WagerKind(name=name, before_deal=False, rule=LAYOUT, meaning=f"after the {words} step of the cross, where there is one")
            for name, words in zip(RAISES, ("first", "second", "third", "fourth"), strict=True)
        ),
    ),
    deck=lambda settings: DeckSpec(decks=1),
    deals={Method.MANUAL_SHOE: _cards_by_pass, Method.HAND: _cards_by_pass, Method.AUTOMATED_SHOE: _stacks},
    play=_play,
    irregularities=_irregularities,
    judge=_judge,
    stub=c.stub_check(c.analogy("35.9(e)")),
    cards_needed=lambda settings, seats: 2 * (seats + 1) + len(CROSS) + settings.number("burn_before_cross"),
)
