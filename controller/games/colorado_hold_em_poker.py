"""Colorado Hold 'Em Poker, N.J.A.C. 13:69F-23.

Three cards to each wagering seat, one discarded; the two kept make a five-card hand with three community cards. The dealer has no hand:
wins are paid by posted odds, three-card immediate winners at once. Read in law: 23.8 (deal from the hand), 23.2 and 69E-1.13L. The ranks,
the odds, the immediate winners, the size of the bet and the irregularities were not reachable; they are house settings or drawn from
sister games, and say so.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from controller.dealing.game import Game, Judged
from controller.dealing.round import COMMUNITY, Round, Seat, seat_place
from controller.dealing.rules import Rule
from controller.dealing.settings import Setting, Settings
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
from controller.games.pay import Odds, check_pay_table, check_three_card_table, odds_for, pair_reaches, three_card_name
from controller.hands.poker import PokerCategory, PokerHand, evaluate
from controller.hands.three_card import evaluate_three
from firmware_bridge.cards import UNREADABLE

AT_ONCE = c.law_69e("1.13L(b)5", "its odds are posted; which hands it is, 23.3(c), and whether it plays on were not reachable")
POSTED = c.law_69e("1.13L(b)5", "wins are paid by the odds printed on the layout; the odds themselves were not reachable")
DOWN3 = (Face.DOWN,) * 3

SETTINGS = (
    c.seats_setting(6, 6, 7, c.law_69e("1.13L(a)", "six or seven player positions")),
    c.stub_every(c.law("23.8(e)")),
    c.TWO_DECKS_LAW,
    Setting(
        name="bet_size", default=1, between=(0, 10), meaning="the bet as a multiple of the ante; 0: any amount",
        rule=c.house("bet_size", "the ratio of bet and ante was not reachable"),
    ),
    Setting(
        name="stack_community", default="stack", allowed=("stack", "hand"),
        meaning="with an automated shoe the community cards are a further stack, or are dealt by hand from the rest",
        rule=c.house("stack_community", "13:69F-23.9 was not reachable"),
    ),
    Setting(
        name="pay_table", default={}, check=check_pay_table,
        meaning="posted odds to one by hand, as three-of-a-kind = 3; a hand that is not named loses; empty: results say the hand",
        rule=c.house("pay_table", "odds were not reachable"),
    ),
    Setting(
        name="immediate_winners", default={}, check=check_three_card_table,
        meaning="posted odds to one of the three-card hands that are shown and paid at once, and play no further; empty: there are none",
        rule=c.house("immediate_winners", "13:69F-23.3(c) was not reachable"),
    ),
    Setting(
        name="lowest_paid_pair", default=None, allowed=(None, *"23456789TJQKA"), meaning="rank of the lowest paid pair; none: not decided",
        rule=c.house("lowest_paid_pair", "not reachable"),
    ),
)  # fmt: skip


def _from_the_hand(settings: Settings) -> tuple[Step, ...]:
    return _by_pass(c.law("23.8(b)3"), c.law("23.8(c)"), c.law("23.8(d)"))


def _from_the_shoe(settings: Settings) -> tuple[Step, ...]:
    unread = "13:69F-23.7 was not reachable"
    return _by_pass(c.analogy("31.8(a)", unread), c.analogy("23.8(c)", f"as from the hand; {unread}"), c.analogy("31.8(d)", unread))


def _by_pass(no_more_bets: Rule, order: Rule, stub: Rule) -> tuple[Step, ...]:
    return Wagers(rule=no_more_bets), Deal(to=(Who.WAGERED, Who.COMMUNITY), facing=DOWN3, rule=order), Stub(rule=stub)


def _stacks(settings: Settings) -> tuple[Step, ...]:
    rule = c.analogy("35.9(c)", "the stack is the player's first cards")
    wagers = Wagers(rule=c.analogy("35.9(b)"))
    stub = Stub(rule=c.analogy("35.9(d)"))
    if settings.text("stack_community") == "stack":
        return wagers, Stack(to=(Who.WAGERED, Who.COMMUNITY), size=3, facing=DOWN3, rule=rule), stub
    seats = Stack(to=(Who.WAGERED,), size=3, facing=DOWN3, rule=rule)
    return wagers, seats, Deal(to=(Who.COMMUNITY,), facing=DOWN3, rule=c.analogy("35.9(d)")), stub


def _play(settings: Settings) -> tuple[Step, ...]:
    size = c.times("ante", settings.number("bet_size"), c.house("bet_size"))
    bet = Option(
        choose="bet", meaning="place the bet wager and discard one card", places="bet", size=size, discard=1, keep=2,
        rule=c.law_69e("1.13L(b)3", "one discard"),
    )  # fmt: skip
    fold = Option(
        choose="fold", meaning="give up the ante", status="folded", forfeits=("ante",), stays_under="bonus",
        rule=c.analogy("33.10(a)2", "cards stay under a bonus wager"),
    )  # fmt: skip
    shown = Option(
        choose="natural", meaning="show an immediate winner, paid at once; the hand plays no further", status="natural",
        stays_under="bonus", needs=partial(_no_immediate_winner, settings), rule=AT_ONCE,
    )  # fmt: skip
    return (
        Decide(
            options=(bet, fold, shown) if settings.table("immediate_winners") else (bet, fold),
            rule=c.law_69e("1.13L(b)2", "areas for ante and bet; clockwise order by the uniform pattern"),
        ),
        ExposeCards(what=Who.COMMUNITY, rule=c.inferred("23.8(d)", "no further cards come; the three are turned up")),
        Settle(rule=c.analogy("33.10(f)", "right first, counterclockwise")),
        Collect(rule=c.analogy("21.8(o)", "so that each hand can be rebuilt")),
    )


def _immediate_odds(settings: Settings, round_: Round, seat: int) -> Odds | None:
    """Posted odds of the seat's three cards; None when they are no immediate winner."""
    cards = round_.cards_at(seat_place(seat), "an immediate winner is shown")
    if len(cards) != 3 or UNREADABLE in cards:
        return None
    table = settings.table("immediate_winners")
    return odds_for(table, three_card_name(table, evaluate_three(cards)))


def _no_immediate_winner(settings: Settings, round_: Round, seat: int) -> str:
    known = _immediate_odds(settings, round_, seat) is not None
    return "" if known else f"Seat {seat}: the three cards are not one of the immediate winners of this house."


def _irregularities(method: Method) -> Mapping[str, Remedy]:
    rows = {
        "card-face-up": c.ONE_FACE_UP,
        "cards-face-up": c.MORE_FACE_UP,
        "card-drawn-in-error": c.DRAWN_IN_ERROR,
        "wrong-count-seat": c.WRONG_COUNT,
        "wrong-count-community": c.WRONG_COUNT,
        "community-card-exposed": Remedy(
            "all-hands-void-side-bets-stand",
            c.analogy("28.12(a)"),
            "A community card seen before all have decided: all hands void.",
        ),
        "shuffler-malfunction": c.SHUFFLER_FAILED,
        "duplicate-card": c.DECK_WRONG,
        "foreign-card": c.DECK_WRONG,
        "missing-card": c.DECK_WRONG,
    }
    if method is Method.AUTOMATED_SHOE:
        rows |= {"wrong-stack-size": c.WRONG_COUNT, "device-malfunction": c.SHOE_FAILED}
    return rows


def _judge(settings: Settings, round_: Round) -> list[Judged]:
    board = round_.shown_cards(COMMUNITY)
    judged = []
    for number in sorted(round_.seats):
        seat = round_.seats[number]
        if str(number) in round_.results:
            continue
        if seat.status == "folded":
            judged.append(_folded(seat))
        elif seat.status == "natural":
            judged.append(_shown(seat, _immediate_odds(settings, round_, number)))
        elif seat.exposed and len(board) == 3:
            kept = c.kept_cards(seat)
            if len(kept) == 2:
                judged.append(_against_table(settings, seat, evaluate((*kept, *board))))
    return judged


def _folded(seat: Seat) -> Judged:
    results, pays = {"ante": "lose"}, {"ante": c.lost(seat.wagers.get("ante"))}
    if "bonus" in seat.wagers:
        results["bonus"], pays["bonus"] = "odds", None
    return Judged(key=str(seat.number), results=results, pays=pays, rule=c.analogy("33.10(a)2"))


def _shown(seat: Seat, odds: Odds | None) -> Judged:
    results, pays = {"ante": "win"}, {"ante": None if odds is None else c.net(seat.wagers.get("ante"), odds)}
    if "bonus" in seat.wagers:
        results["bonus"], pays["bonus"] = "odds", None
    return Judged(key=str(seat.number), results=results, pays=pays, hand="immediate winner", rule=AT_ONCE)


def _against_table(settings: Settings, seat: Seat, hand: PokerHand) -> Judged:
    """`win` and `lose` where the posted table or the hand alone decides, `odds` where only the table could and none is configured."""
    result, odds = _verdict(settings, hand)
    wagers: list[str] = [name for name in ("ante", "bet") if name in seat.wagers]
    pays: dict[str, int | None] = {}
    for name in wagers:
        amount = seat.wagers[name]
        pays[name] = c.lost(amount) if result == "lose" else (c.net(amount, odds) if odds is not None else None)
    results: dict[str, str] = dict.fromkeys(wagers, result)
    if "bonus" in seat.wagers:
        results["bonus"], pays["bonus"] = "odds", None
    return Judged(key=str(seat.number), results=results, pays=pays, hand=hand.text, rule=POSTED)


def _verdict(settings: Settings, hand: PokerHand) -> tuple[str, Odds | None]:
    category = hand.category
    if category is PokerCategory.HIGH_CARD:
        return "lose", None
    if category is PokerCategory.PAIR:
        lowest = settings.text("lowest_paid_pair")
        if lowest == "none":
            return "odds", None
        if not pair_reaches(hand, lowest):
            return "lose", None
    table = settings.table("pay_table")
    odds = odds_for(table, category.value)
    return ("lose", None) if table and odds is None else ("win", odds)


GAME = Game(
    key="colorado-hold-em-poker",
    title="Colorado Hold 'Em Poker",
    law="13:69F-23",
    summary="Three cards, one discarded; two kept and three community cards against posted odds; no dealer hand.",
    settings=SETTINGS,
    wagers=(
        WagerKind(name="ante", required=True, rule=c.law_69e("1.13L(b)2"), meaning="before the cards"),
        WagerKind(
            name="bonus",
            side=True,
            rule=c.law_69e("1.13L(b)2", "optional, under 23.6A"),
            meaning="optional, before the cards",
        ),
        WagerKind(name="bet", before_deal=False, rule=c.law_69e("1.13L(b)2"), meaning="after the cards"),
    ),
    deck=lambda settings: DeckSpec(decks=1),
    deals={Method.MANUAL_SHOE: _from_the_shoe, Method.HAND: _from_the_hand, Method.AUTOMATED_SHOE: _stacks},
    play=_play,
    irregularities=_irregularities,
    judge=_judge,
    stub=c.stub_check(c.law("23.8(e)")),
    shows=2,
    cards_needed=lambda settings, seats: 3 * seats + 3,
)
