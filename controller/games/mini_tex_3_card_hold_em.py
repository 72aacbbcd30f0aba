"""Mini-Tex 3 Card Hold 'Em, N.J.A.C. 13:69F-37.

Two cards each to players and dealer, three community cards in two steps; the best three cards of which at least one is an own one. Each
wager (flop, third, play) is required to go on. A dealer below a pair does not qualify: all is paid but the play wager, which goes back.
Read in law is 37.1 to the letter P; sizes and settlement come from a published sheet, the deal and the irregularities from sister games.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations

from controller.dealing.game import Game, Judged
from controller.dealing.round import COMMUNITY, DEALER, Round, seat_place
from controller.dealing.settings import Setting, Settings
from controller.dealing.steps import Collect, Decide, ExposeCards, Method, Option, Remedy, Step, Stub, WagerKind, Who
from controller.decks import DeckSpec
from controller.games import common as c
from controller.games import hold_em as h
from controller.games import stud as s
from controller.games.hole_cards import check_hole_table
from controller.hands.poker import PokerCategory
from controller.hands.three_card import ThreeCardHand, evaluate_three, three_card_value
from firmware_bridge.cards import UNREADABLE, Card

SHEET = c.parallel("published sheets", "one rule sheet of the same game")
SIDE = "pocket_poker"
AFTER = ("flop", "third")
BOARD = 3
BOARD_RULE = c.law("37.1", "two community cards face up, then a third")
BURN = c.analogy("28.10", "one burn before each deal, as in sister games; 37.1 defines a burn")

SETTINGS = (
    c.seats_setting(6, 1, 7, c.house("seats", "not reachable")),
    c.stub_every(c.analogy("35.9(e)")),
    c.TWO_DECKS,
    Setting(
        name="pocket_poker_table", default={}, check=check_hole_table,
        meaning="odds to one of the pocket poker wager by the two own cards; empty: settled outside of this record",
        rule=c.house("pocket_poker_table", "decided by the two own cards (13:69F-37.1); hands and odds were not reachable"),
    ),
    s.SETTLEMENT_PASSES,
)  # fmt: skip


def _cards(settings: Settings) -> tuple[Step, ...]:
    return s.one_by_one(2, c.law("37.1", "two down cards each; laps with the dealer last by the uniform pattern"))


def _stacks(settings: Settings) -> tuple[Step, ...]:
    return s.by_stacks(2, c.analogy("28.9(a)", "stacks of two, the dealer's last"))


def _play(settings: Settings) -> tuple[Step, ...]:
    clockwise = c.analogy("28.10(a)", "seat 1 first, clockwise")
    return (
        Decide(options=_go_on_or_fold("flop", 1, "ante"), rule=clockwise),
        *h.board(2, BOARD_RULE, BURN),
        Decide(options=_go_on_or_fold("third", 1, "ante", "flop"), rule=clockwise),
        *h.board(1, BOARD_RULE, BURN),
        Stub(rule=c.analogy("35.9(d)")),
        Decide(options=_go_on_or_fold("play", 2, "ante", *AFTER), rule=clockwise),
        ExposeCards(what=Who.DEALER, when=s.anyone_in, rule=c.analogy("33.10(f)")),
        s.settle(settings, with_folded=SIDE),
        Collect(rule=c.analogy("33.10(i)", "so that each hand can be rebuilt")),
    )


def _go_on_or_fold(name: str, antes: int, *placed: str) -> tuple[Option, Option]:
    rule = SHEET if name == "third" else c.law("37.1")
    place = Option(choose=name, meaning=f"place the {name} wager and stay in", places=name, size=c.times("ante", antes), rule=rule)
    folds = c.law("37.1", "to fold is not to place the wager that goes on; that those placed are lost: the published sheet")
    fold = s.fold(placed, folds, stays_under=SIDE)
    return place, fold


def _irregularities(method: Method) -> Mapping[str, Remedy]:
    more = {
        "wrong-count-seat": h.WRONG_NUMBER,
        "wrong-count-dealer": h.WRONG_NUMBER,
        "dealer-card-exposed": Remedy(
            s.DEALER_SEEN.remedy,
            s.DEALER_SEEN.rule,
            "A dealer's card seen before every seat has folded or placed the play wager: all hands void; pocket poker may stand.",
        ),
        "too-few-cards": c.TOO_FEW,
    }
    return s.irregularities(method, more=more)


# ---- settlement


def best_three(own: tuple[Card, ...], board: tuple[Card, ...]) -> ThreeCardHand | None:
    """The best three of two own and three community cards with at least one own card; None while one of them is not known."""
    cards = own + board
    if len(own) != 2 or len(board) != BOARD or UNREADABLE in cards:
        return None
    hands = [three for three in combinations(cards, 3) if three != board]
    return evaluate_three(max(hands, key=lambda three: three_card_value([card.code for card in three])))


def _judge(settings: Settings, round_: Round) -> list[Judged]:
    board = round_.shown_cards(COMMUNITY)
    dealer = best_three(round_.shown_cards(DEALER), board)
    judged = []
    for seat in h.seats_to_judge(round_, SIDE):
        slip, text, rule = s.Slip(seat), "folded", c.law("37.1")
        own = round_.cards_at(seat_place(seat.number), h.COMPARED) if seat.exposed else ()
        if not seat.live:
            slip.lose("ante", *AFTER)
        else:
            hand = best_three(own, board)
            if hand is None or dealer is None:
                continue
            _compare(slip, hand, dealer)
            text, rule = hand.text, SHEET
        h.settle_on_hole_cards(slip, SIDE, settings.table("pocket_poker_table"), own)
        judged.append(slip.judged(rule, text))
    return judged


def _compare(slip: s.Slip, hand: ThreeCardHand, dealer: ThreeCardHand) -> None:
    """A dealer below a pair pays whatever is still in and gives the play wager back."""
    if dealer.category is PokerCategory.HIGH_CARD:
        slip.win("ante", *AFTER)
        slip.push("play")
    elif hand.value > dealer.value:
        slip.win("ante", *AFTER, "play")
    elif hand.value == dealer.value:
        slip.push("ante", *AFTER, "play")
    else:
        slip.lose("ante", *AFTER, "play")


def _judge_void(settings: Settings, round_: Round) -> list[Judged]:
    table = settings.table("pocket_poker_table")
    rule = c.analogy("28.12(a)", "settled on the player's own cards")
    return h.side_stands(round_, SIDE, rule, lambda slip, own: h.settle_on_hole_cards(slip, SIDE, table, own))


GAME = Game(
    key="mini-tex-3-card-hold-em",
    title="Mini-Tex 3 Card Hold 'Em",
    law="13:69F-37",
    summary="The best three of two own and three shared cards, one of them an own one, against the dealer; a wager or a fold at each step.",
    settings=SETTINGS,
    wagers=(
        WagerKind(name="ante", required=True, rule=c.law("37.1"), meaning="before the cards"),
        WagerKind(name=SIDE, side=True, rule=c.law("37.1"), meaning="optional, before the cards: on the two own cards"),
        WagerKind(name="flop", before_deal=False, rule=c.law("37.1"), meaning="after the two own cards, one ante"),
        WagerKind(name="third", before_deal=False, rule=SHEET, meaning="after the flop, one ante"),
        WagerKind(name="play", before_deal=False, rule=c.law("37.1"), meaning="after the last community card, two antes"),
    ),
    deck=lambda settings: DeckSpec(decks=1),
    deals={Method.MANUAL_SHOE: _cards, Method.HAND: _cards, Method.AUTOMATED_SHOE: _stacks},
    play=_play,
    irregularities=_irregularities,
    judge=_judge,
    judge_void=_judge_void,
    stub=c.stub_check(c.analogy("35.9(e)")),
    cards_needed=lambda settings, seats: 2 * (seats + 1) + BOARD + 2,
)
