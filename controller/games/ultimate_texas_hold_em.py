"""Ultimate Texas Hold 'Em, N.J.A.C. 13:69F-32.

Two cards each to players and dealer, five shared cards, the best five of seven. Ante and blind are equal; one play wager only, the larger
the earlier it is made. A dealer below a pair does not qualify: the ante goes back, play and blind still stand. No text of the subchapter
was read: wagers, sizes and pay tables are those of parallel law and of published sheets, the rest is drawn from sister games.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from controller.dealing.game import Game, Judged
from controller.dealing.round import Round, seat_place
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
from controller.games import hold_em as h
from controller.games import stud as s
from controller.games.pay import check_pay_table, odds_for
from controller.hands.poker import PokerCategory, PokerHand

SHEETS = c.parallel("published sheets", "five casinos and operators agree")
STAGED, FIRST = "staged", "face-down-first"
BURN = c.memory("burn before the board", "PA 653a.1 defines a burn: the top card, unexposed, to the rack")
BOARD = c.parallel("PA 653a.1", "the community cards come in two deals")
BLIND_TABLE: dict[str, Plain] = {
    "royal-flush": 500, "straight-flush": 50, "four-of-a-kind": 10, "full-house": 3, "flush": "3 to 2", "straight": 1,
}  # fmt: skip
TRIPS_TABLE: dict[str, Plain] = {
    "royal-flush": 50, "straight-flush": 40, "four-of-a-kind": 30, "full-house": 9, "flush": 7, "straight": 4, "three-of-a-kind": 3,
}  # fmt: skip

SETTINGS = (
    c.seats_setting(6, 1, 7, c.house("seats", "not reachable; six or seven in sister games (13:69E-1.13L)")),
    c.stub_every(c.analogy("35.9(e)")),
    c.TWO_DECKS,
    Setting(
        name="community_deal", default=STAGED, allowed=(STAGED, FIRST),
        meaning="the community cards come in two deals with a burn before each, or all five face down before the players' cards",
        rule=c.house("community_deal", "PA deals them in stages, three casino sheets first; the NJ order was not reachable"),
    ),
    Setting(
        name="trips_after_fold", default=True, allowed=(True, False),
        meaning="whether a trips wager stays live when its seat folds, with the cards left under it",
        rule=c.house("trips_after_fold", "live on one casino sheet, as a bonus wager in 13:69F-33.10(a)2"),
    ),
    Setting(
        name="blind_table", default=dict(BLIND_TABLE), check=check_pay_table,
        meaning="odds to one of the blind wager by the winning hand; a winning hand that is not named pushes; empty: results say the hand",
        rule=c.parallel("PA 653a.12(b)", "the first of two tables; in the second a straight pushes"),
    ),
    Setting(
        name="trips_table", default=dict(TRIPS_TABLE), check=check_pay_table,
        meaning="odds to one of the trips wager by the player's hand; empty: settled outside of this record",
        rule=c.parallel("PA 653a.12(c)", "the first of four tables"),
    ),
    s.SETTLEMENT_PASSES,
)  # fmt: skip


def _deal(settings: Settings, players: tuple[Step, ...], board: Step) -> tuple[Step, ...]:
    """The community cards come before the players' ones where the house deals them first; then no further card is dealt."""
    if settings.text("community_deal") == STAGED:
        return players
    return Wagers(rule=c.NO_MORE_BETS), board, *players[1:], Stub(rule=c.analogy("35.9(d)"))


def _cards(settings: Settings) -> tuple[Step, ...]:
    players = s.one_by_one(2, c.analogy("28.7", "one lap of single cards, then another, the dealer last"))
    return _deal(settings, players, Deal(to=(Who.COMMUNITY,), facing=(Face.DOWN,) * h.BOARD, rule=SHEETS))


def _stacks(settings: Settings) -> tuple[Step, ...]:
    players = s.by_stacks(2, c.analogy("28.9(a)", "stacks of two, the dealer's last"))
    return _deal(settings, players, Stack(to=(Who.COMMUNITY,), size=h.BOARD, facing=(Face.DOWN,) * h.BOARD, rule=SHEETS))


def _not_yet_played(round_: Round, seat: int) -> bool:
    return "play" not in round_.seats[seat].wagers


def _anyone_has_not_played(round_: Round) -> bool:
    return any(_not_yet_played(round_, seat) for seat in round_.live_seats())


def _play_for(*percent: int) -> Option:
    return Option(
        choose="play", meaning="place the play wager, the only one", places="play", size=Size(of=("ante",), percent=percent), rule=SHEETS
    )


def _play(settings: Settings) -> tuple[Step, ...]:
    asks: Callable[[Round, int], bool] = _not_yet_played
    side = "trips" if settings.flag("trips_after_fold") else None
    fold = s.fold(("ante", "blind"), SHEETS, stays_under=side)
    clockwise = c.analogy("28.10(a)", "seat 1 first, clockwise")
    first = Decide(options=(_play_for(300, 400), h.check(SHEETS)), rule=clockwise)
    second = Decide(options=(_play_for(200), h.check(SHEETS)), asks=asks, when=_anyone_has_not_played, rule=clockwise)
    third = Decide(options=(_play_for(100), fold), asks=asks, when=_anyone_has_not_played, rule=clockwise)
    if settings.text("community_deal") == STAGED:
        flop: tuple[Step, ...] = h.board(3, BOARD, BURN)
        rest: tuple[Step, ...] = (*h.board(2, BOARD, BURN), Stub(rule=c.analogy("35.9(d)")))
    else:
        flop, rest = _turned(1, 2, 3), _turned(4, 5)
    return (
        first, *flop, second, *rest, third,
        ExposeCards(what=Who.DEALER, when=s.anyone_in, rule=c.analogy("33.10(f)")),
        s.settle(settings, with_folded=side),
        Collect(rule=c.analogy("33.10(i)", "so that each hand can be rebuilt")),
    )  # fmt: skip


def _turned(*cards: int) -> tuple[Step, ...]:
    return (ExposeCards(what=Who.COMMUNITY, cards=cards, rule=SHEETS),)


def _irregularities(method: Method) -> Mapping[str, Remedy]:
    more = {
        "wrong-count-seat": h.WRONG_NUMBER,
        "wrong-count-dealer": h.WRONG_NUMBER,
        "wrong-count-community": h.WRONG_NUMBER,
        "community-card-exposed": h.BOARD_SEEN,
        "dealer-card-exposed": Remedy(
            s.DEALER_SEEN.remedy,
            s.DEALER_SEEN.rule,
            "A dealer's card seen before every seat has played or folded: all hands void; a trips wager may stand.",
        ),
        "too-few-cards": c.TOO_FEW,
    }
    return s.irregularities(method, community=True, more=more)


# ---- settlement


def _judge(settings: Settings, round_: Round) -> list[Judged]:
    side = "trips" if settings.flag("trips_after_fold") else ""
    seats = h.seats_to_judge(round_, side)
    board = h.open_board(round_) if seats else ()
    dealer = h.best_dealer(round_, board)
    judged = []
    for seat in seats:
        slip = s.Slip(seat)
        hand = h.best_hand(round_, seat_place(seat.number), board) if seat.exposed else None
        if not seat.live:
            slip.lose("ante", "blind", *(() if side else ("trips",)))
        elif hand is None or dealer is None:
            continue
        else:
            _compare(settings, slip, hand, dealer)
        if hand is not None:
            slip.by_table("trips", settings.table("trips_table"), hand.category.value)
        judged.append(slip.judged(SHEETS, hand.text if hand is not None else "folded"))
    return judged


def _compare(settings: Settings, slip: s.Slip, hand: PokerHand, dealer: PokerHand) -> None:
    """A dealer below a pair gives the ante back; play and blind stand all the same."""
    qualifies = dealer.category is not PokerCategory.HIGH_CARD
    if hand.value == dealer.value:
        slip.push("ante", "blind", "play")
    elif hand.value < dealer.value:
        (slip.lose if qualifies else slip.push)("ante")
        slip.lose("blind", "play")
    else:
        (slip.win if qualifies else slip.push)("ante")
        slip.win("play")
        _win_blind(settings, slip, hand)


def _win_blind(settings: Settings, slip: s.Slip, hand: PokerHand) -> None:
    table = settings.table("blind_table")
    if table and odds_for(table, hand.category.value) is None:
        slip.push("blind")
    else:
        slip.by_table("blind", table, hand.category.value)


GAME = Game(
    key="ultimate-texas-hold-em",
    title="Ultimate Texas Hold 'Em",
    law="13:69F-32",
    summary="Two own cards and five shared ones against the dealer; ante and blind, and one play wager, the larger the earlier.",
    settings=SETTINGS,
    wagers=(
        WagerKind(name="ante", required=True, rule=SHEETS, meaning="before the cards"),
        WagerKind(name="blind", required=True, size=c.times("ante", 1), rule=SHEETS, meaning="before the cards, equal to the ante"),
        WagerKind(name="trips", side=True, rule=c.parallel("PA 653a.12(c)"), meaning="optional, before the cards: on the player's hand"),
        WagerKind(
            name="play", before_deal=False, rule=SHEETS, meaning="once: 3 or 4 antes on two cards, 2 after the flop, 1 after all cards"
        ),
    ),
    deck=lambda settings: DeckSpec(decks=1),
    deals={Method.MANUAL_SHOE: _cards, Method.HAND: _cards, Method.AUTOMATED_SHOE: _stacks},
    play=_play,
    irregularities=_irregularities,
    judge=_judge,
    stub=c.stub_check(c.analogy("35.9(e)")),
    compared="play",
    cards_needed=lambda settings, seats: 2 * (seats + 1) + h.BOARD + 2,
)
