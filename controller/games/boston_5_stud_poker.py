"""Boston 5 Stud Poker, N.J.A.C. 13:69F-24.

Five-card stud against the dealer: three cards, then fold or double up, then two more. An optional bonus on the first three cards is shown
and settled before the decision; two pair or better earn the ante a bonus even on a losing hand. No text of the subchapter was reachable:
the game is the one that three descriptions tell alike, its dealing that of sister games.
"""

from __future__ import annotations

from collections.abc import Mapping

from controller.dealing.game import Game, Judged
from controller.dealing.round import DEALER, Round, Seat, seat_place
from controller.dealing.rules import Rule
from controller.dealing.settings import Setting, Settings
from controller.dealing.show_steps import ShowHands
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
from controller.games import own_hand as own
from controller.games import stud
from controller.games.pay import check_pay_table, check_three_card_table, three_card_name
from controller.hands.poker import PokerHand, evaluate
from controller.hands.three_card import evaluate_three
from firmware_bridge.cards import UNREADABLE, Card

TOLD = c.parallel("three game descriptions", "NJ not reachable")
SIDE = "bonus"
STAKES = ("ante", "first", "second")
LIVE_AND_DEALER = (Who.LIVE, Who.DEALER)
WAYS = ("one-at-a-time", "together")

SETTINGS = (
    c.seats_setting(7, 1, 9, c.house("seats", "not reachable; six or seven are usual")),
    c.stub_every(c.analogy("35.9(e)")),
    c.TWO_DECKS,
    Setting(
        name="first_cards", default="one-at-a-time", allowed=WAYS, meaning="the first three cards come singly in passes or three at once",
        rule=c.house("first_cards", "passes by 23.8(c); the sister game Boston 7 Stud gives three consecutive cards"),
    ),
    Setting(
        name="last_cards", default="one-at-a-time", allowed=WAYS, meaning="the last two cards come singly in passes or two at once",
        rule=c.house("last_cards", "not told; Boston 7 Stud gives them together"),
    ),
    Setting(
        name="stack_last_cards", default="hand", allowed=("hand", "stack"),
        meaning="with an automated shoe the last two cards are dealt by hand from the rest, or come as stacks of two",
        rule=c.house("stack_last_cards", "35.9(d) in a sister game; the text was not reachable"),
    ),
    Setting(
        name="burn_before_last", default=False, allowed=(False, True), meaning="one card is burned before the last two",
        rule=c.house("burn_before_last", "not told; 33.10(b) burns before each later card of another game"),
    ),
    own.odds_setting(
        "bonus_table", {"straight-flush": 40, "three-of-a-kind": 30, "straight": 6, "flush": 3, "pair": 1}, check_three_card_table,
        "odds to one of the bonus by the first three cards; empty: settled outside of this record",
        c.parallel("two game descriptions", "a flush is paid 3 or 4"),
    ),
    own.odds_setting(
        "ante_bonus_table", {}, check_pay_table,
        "what the ante earns on top for two pair or better, also on a losing hand; empty: told and settled outside of this record",
        c.house("ante_bonus_table", "two tables exist, neither was reachable"),
    ),
    Setting(
        name="bonus_in_void", default="stands", allowed=("stands", "returned"),
        meaning="a bonus that was settled stands, or goes back, when the round is void later",
        rule=c.house("bonus_in_void", "not told"),
    ),
)  # fmt: skip
BONUS_FROM = ("two-pair", "three-of-a-kind", "straight", "flush", "full-house", "four-of-a-kind", "straight-flush", "royal-flush")


def _cards(settings: Settings) -> tuple[Step, ...]:
    together = settings.text("first_cards") == "together"
    rule = c.analogy("23.8(c)", "seat 1 first, clockwise, then the dealer")
    first = Deal(to=stud.SEATS_AND_DEALER, facing=(Face.DOWN,) * 3, together=together, rule=rule)
    return Wagers(rule=c.analogy("23.8(b)3")), first, *_until_the_last(settings), _last_two(settings, c.analogy("33.10(b)"))


def _stacks(settings: Settings) -> tuple[Step, ...]:
    first = stud.by_stacks(3, c.analogy("35.9(c)", "the stack is the first cards of a player, the dealer's last"))
    last: Step = _last_two(settings, c.analogy("35.9(d)", "the rest is taken out of the shoe and dealt from the hand"))
    if settings.text("stack_last_cards") == "stack":
        rule = c.house("stack_last_cards", "a second series, of two cards")
        last = Stack(to=LIVE_AND_DEALER, size=2, facing=(Face.DOWN,) * 2, when=stud.anyone_in, rule=rule)
    return *first, *_until_the_last(settings), last


def _last_two(settings: Settings, rule: Rule) -> Deal:
    together = settings.text("last_cards") == "together"
    return Deal(to=LIVE_AND_DEALER, facing=(Face.DOWN,) * 2, together=together, when=stud.anyone_in, rule=rule)


def _until_the_last(settings: Settings) -> tuple[Step, ...]:
    none = Option(choose="none", meaning="show nothing, and lose the bonus wager", forfeits=(SIDE,), rule=TOLD)
    second = Option(choose="second", meaning="place the second wager and stay", places="second", size=c.times("first", 1), rule=TOLD)
    fold = stud.fold(("ante", "first"), c.analogy("33.10(a)", "the result by three game descriptions"))
    burn = (Burn(when=stud.anyone_in, rule=c.house("burn_before_last")),) if settings.flag("burn_before_last") else ()
    stands = settings.text("bonus_in_void") == "stands"
    return (
        ShowHands(wager=SIDE, options=(none,), stands=stands, rule=TOLD),
        Decide(options=(second, fold), rule=c.analogy("33.10(a)3")),
        *burn,
    )


def _play(settings: Settings) -> tuple[Step, ...]:
    return (
        Stub(rule=c.analogy("23.8(d)")),
        ExposeCards(what=Who.DEALER, when=stud.anyone_in, rule=c.analogy("21.8(k)", "the dealer's five cards first")),
        Settle(rule=c.analogy("21.8(k)", "right first, counterclockwise")),
        Collect(rule=c.analogy("21.8(o)", "so that each hand can be rebuilt")),
    )


def _irregularities(method: Method) -> Mapping[str, Remedy]:
    return stud.irregularities(method)


# ---- settlement


def _judge(settings: Settings, round_: Round) -> list[Judged]:
    dealer = round_.shown_cards(DEALER) if round_.dealer_exposed else ()
    judged = []
    for _, seat in sorted(round_.seats.items()):
        slip = stud.Slip(seat)
        text = _settle_bonus(settings, slip, round_, seat)
        if seat.status == "folded":
            slip.lose("ante", "first")
            text = "folded"
        elif seat.live and seat.exposed and len(dealer) == 5:
            hand = evaluate(c.kept_cards(seat))
            _compare(settings, slip, hand, evaluate(dealer))
            text = hand.text
        if slip.results and not _is_recorded(round_, slip):
            judged.append(slip.judged(TOLD, text))
    return judged


def _is_recorded(round_: Round, slip: stud.Slip) -> bool:
    return set(slip.results) <= set(round_.results.get(str(slip.seat.number), {}))


def _settle_bonus(settings: Settings, slip: stud.Slip, round_: Round, seat: Seat) -> str:
    """The bonus, once the seat has shown its three cards or shown nothing; returns the hand in words."""
    cards = round_.cards_at(seat_place(seat.number), "shown for the bonus")[:3] if SIDE in seat.shown_for else ()
    if SIDE in seat.lost:
        slip.lose(SIDE)
    elif len(cards) == 3 and UNREADABLE not in cards:
        return _pay_bonus(settings, slip, cards)
    return ""


def _pay_bonus(settings: Settings, slip: stud.Slip, cards: tuple[Card, ...]) -> str:
    hand, table = evaluate_three(cards), settings.table("bonus_table")
    slip.by_table(SIDE, table, three_card_name(table, hand))
    return hand.text


def _compare(settings: Settings, slip: stud.Slip, hand: PokerHand, dealer: PokerHand) -> None:
    if hand.value > dealer.value:
        slip.win("first", "second")
        slip.push("ante")
    elif hand.value == dealer.value:
        slip.push(*STAKES)
    else:
        slip.lose(*STAKES)
    table = settings.table("ante_bonus_table")
    if hand.category.value not in BONUS_FROM:
        return
    if table:
        slip.bonus("ante_bonus", table, hand.category.value, slip.seat.wagers["ante"])
    else:
        slip.results["ante_bonus"], slip.pays["ante_bonus"] = "odds", None


def _judge_void(settings: Settings, round_: Round) -> list[Judged]:
    """Bonus wagers that were not settled yet are settled on the three cards."""
    judged = []
    for number, seat in sorted(round_.seats.items()):
        cards = round_.cards_at(seat_place(number), "the bonus is settled on the three cards")[:3]
        if SIDE not in seat.wagers or SIDE in seat.shown_for or SIDE in seat.lost or seat.status == "dead":
            continue
        slip = stud.Slip(seat)
        slip.void(*(name for name in seat.wagers if name != SIDE))
        if len(cards) == 3 and UNREADABLE not in cards:
            _pay_bonus(settings, slip, cards)
        else:
            slip.unsettled(SIDE)
        judged.append(slip.judged(c.analogy("28.12(a)", "bonus wagers are settled on the three cards"), "void"))
    return judged


GAME = Game(
    key="boston-5-stud-poker",
    title="Boston 5 Stud Poker",
    law="13:69F-24",
    summary="Three cards, fold or double up, two more against the dealer's five; a bonus on the first three, paid at once.",
    settings=SETTINGS,
    wagers=(
        WagerKind(name="ante", required=True, rule=TOLD, meaning="before the cards"),
        WagerKind(name="first", required=True, size=c.times("ante", 2), rule=TOLD, meaning="before the cards, twice the ante"),
        WagerKind(name=SIDE, side=True, rule=TOLD, meaning="optional, before the cards, on the first three"),
        WagerKind(name="second", before_deal=False, rule=TOLD, meaning="after three cards, equal to the first wager"),
    ),
    deck=lambda settings: DeckSpec(decks=1),
    deals={Method.MANUAL_SHOE: _cards, Method.HAND: _cards, Method.AUTOMATED_SHOE: _stacks},
    play=_play,
    irregularities=_irregularities,
    judge=_judge,
    judge_void=_judge_void,
    stub=c.stub_check(c.analogy("35.9(e)")),
    cards_needed=lambda settings, seats: 5 * (seats + 1) + settings.flag("burn_before_last"),
    compared="first",
)
