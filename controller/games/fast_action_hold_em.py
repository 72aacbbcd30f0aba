"""Fast Action Hold 'Em, N.J.A.C. 13:69F-21.

Player and dealer each get four cards from a multi-deck shoe, keep two, and use them with five community cards. One wager, even money; the
dealer wins equal hands. A player may split into two hands, surrender half, or be paid at once on a natural. Read in law: 21.8. The number
of decks, the natural's definition, the deal and the irregularities were not reachable; they are house settings or drawn from sister
games, and say so.
"""

from __future__ import annotations

from collections.abc import Mapping

from controller.dealing.game import Game, Groups, Judged
from controller.dealing.round import COMMUNITY, Round, Seat, seat_of, seat_place
from controller.dealing.rules import Rule, Standing
from controller.dealing.settings import Plain, Setting, Settings
from controller.dealing.steps import (
    Burn,
    Collect,
    Deal,
    ExposeCards,
    Face,
    Method,
    Option,
    Order,
    Remedy,
    SetHands,
    Settle,
    Stack,
    Step,
    WagerKind,
    Wagers,
    Who,
)
from controller.decks import DeckSpec
from controller.games import common as c
from controller.games.pay import percent_of
from controller.hands.errors import HandError
from controller.hands.four_card import HOLDINGS, parse_holdings
from controller.hands.house_way import FAST_ACTION_HOUSE_WAY, choose, parse_house_way
from controller.hands.poker import evaluate
from firmware_bridge.cards import UNREADABLE, Card

NATURAL_PERCENT = 500
"""A player's natural is paid 5 to 1 (13:69F-21.8(b))."""
DOWN4, UP5 = (Face.DOWN,) * 4, (Face.UP,) * 5
SHOE_ONLY = c.house("methods_permitted", "the chapter seems to have one dealing section, for the manual shoe")


def _check_natural(value: Plain) -> str:
    if value is None:
        return ""
    if not isinstance(value, list) or not value:
        return f"it is a list of four-card holdings: {', '.join(HOLDINGS)}"
    try:
        parse_holdings([str(name) for name in value])
    except HandError as error:
        return str(error)
    return ""


SETTINGS = (
    c.seats_setting(6, 1, 7, Rule("13:69E-1.13L", Standing.ANALOGY, "not known for this game")),
    Setting(name="decks", default=6, between=(2, 8), meaning="decks in the shoe", rule=c.house("decks", "the sister game uses six")),
    c.SHOE_START_BURN,
    c.TWO_DECKS,
    Setting(
        name="natural", check=_check_natural,
        default=None,
        meaning="four-card holdings that win at once, as a list of names; none: naturals are off",
        rule=c.house("natural", "21.8(b) pays them, their definition was not reachable"),
    ),
    Setting(
        name="house_way", check=c.list_of_preferences(parse_house_way),
        default=None,
        meaning="the dealer's preferences; none: the lines of 21.8(i)", rule=c.law("21.8(i)")
    ),
    c.methods_setting((Method.MANUAL_SHOE,), SHOE_ONLY),
)  # fmt: skip


def _deal_cards(settings: Settings) -> tuple[Step, ...]:
    return (
        *_opening(settings),
        Deal(
            to=(Who.WAGERED, Who.DEALER),
            facing=DOWN4,
            rule=c.analogy("31.8(c)", "four cards each by 21.8(a),(g); order by sister game"),
        ),
    )


def _deal_stacks(settings: Settings) -> tuple[Step, ...]:
    rule = c.analogy("31.10(d)", "the stack is the player's first cards")
    return *_opening(settings), Stack(to=(Who.WAGERED, Who.DEALER), size=4, facing=DOWN4, rule=rule)


def _opening(settings: Settings) -> tuple[Step, ...]:
    wagers = Wagers(rule=c.analogy("23.8(b)3"))
    if not settings.flag("shoe_start_burn"):
        return (wagers,)
    return wagers, Burn(when=c.fresh_shoe, rule=c.house("shoe_start_burn", "multi-deck practice"))


def _board_comes(round_: Round) -> bool:
    return not round_.dealer_natural and bool(round_.live_seats())


def _dealer_plays(round_: Round) -> bool:
    return bool(round_.live_seats())


def _play(settings: Settings) -> tuple[Step, ...]:
    split = Option(
        choose="split", meaning="a second, equal wager; two cards to each", places="second", size=c.times("wager", 1), keep=2,
        status="split",
        rule=c.law("21.8(c)"),
    )  # fmt: skip
    surrender = Option(
        choose="surrender", meaning="give up half of the wager", status="surrendered", forfeits=("wager",), forfeit_percent=50,
        rule=c.law("21.8(f)"),
    )  # fmt: skip
    natural = Option(
        choose="natural", meaning="turn a natural; paid 5 to 1 at once", status="natural", needs=_NaturalCheck(settings),
        rule=c.law("21.8(b)"),
    )  # fmt: skip
    return (
        SetHands(
            who=Who.LIVE,
            groups=(("keep", 2),),
            options=(split, surrender, natural),
            ends_with_discards=True,
            rule=c.law("21.8(a)"),
        ),
        ExposeCards(what=Who.DEALER, when=_dealer_plays, rule=c.law("21.8(g)")),
        SetHands(who=Who.DEALER, groups=(("keep", 2),), face_up=True, when=_board_comes, rule=c.law("21.8(g)")),
        Burn(when=_board_comes, rule=c.law("21.8(j)")),
        Deal(to=(Who.COMMUNITY,), facing=UP5, when=_board_comes, rule=c.law("21.8(j)")),
        Settle(order=Order.RIGHT_FIRST, when=_board_comes, rule=c.law("21.8(k)")),
        Collect(rule=c.law("21.8(o)")),
    )


class _NaturalCheck:
    """Why a seat's four cards are no natural; empty when they are one."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings

    def __call__(self, round_: Round, seat: int) -> str:
        if not self._settings.items("natural"):
            return "This house has not defined a natural, so naturals are off."
        cards = round_.cards_at(seat_place(seat), "a natural is turned face up (13:69F-21.8(b))")
        return "" if _is_natural(self._settings, cards) else f"Seat {seat}: the four cards are not one of the naturals of this house."


def _is_natural(settings: Settings, cards: tuple[Card, ...]) -> bool:
    names = settings.items("natural")
    if not names or len(cards) != 4 or UNREADABLE in cards:
        return False
    return parse_holdings([str(name) for name in names]).named(cards) is not None


def _house_way(settings: Settings, cards: tuple[Card, ...]) -> Groups | None:
    rows = settings.rows("house_way")
    preferences = parse_house_way(rows) if rows else FAST_ACTION_HOUSE_WAY
    return {"keep": choose(preferences, cards).keep}


def _of_the_dealer(round_: Round, place: str) -> bool:
    """The row is about the dealer's hand; of a player's hand that is set wrongly no text was reachable."""
    return seat_of(place) is None


def _irregularities(method: Method) -> Mapping[str, Remedy]:
    rows = {
        "card-face-up": c.ONE_FACE_UP,
        "cards-face-up": c.MORE_FACE_UP,
        "card-drawn-in-error": c.DRAWN_IN_ERROR,
        "wrong-count-seat": c.WRONG_COUNT,
        "wrong-count-dealer": c.WRONG_COUNT,
        "dealer-card-exposed": Remedy(
            "all-hands-void", c.analogy("28.12(a)"), "A dealer's card seen before all hands are set: all hands void."
        ),
        "wrong-set": Remedy(
            "reset-house-way",
            c.parallel("Texas Shootout rule sheet"),
            "The dealer takes back the two discards and sets again by the house way.",
            when=_of_the_dealer,
        ),
        "device-malfunction": c.SHOE_FAILED,
        "shuffler-malfunction": c.SHUFFLER_FAILED,
    }
    if method is Method.AUTOMATED_SHOE:
        rows["wrong-stack-size"] = c.WRONG_COUNT
    return rows


def _judge(settings: Settings, round_: Round) -> list[Judged]:
    judged = [hand for seat in round_.seats.values() for hand in _at_once(seat)]
    if round_.dealer_natural:
        judged += [hand for seat in round_.seats.values() if seat.live for hand in _against_natural(seat)]
        return sorted(judged, key=lambda hand: hand.key)
    board = round_.shown_cards(COMMUNITY)
    dealer = c.opened(round_.dealer_groups.get("keep", ()))
    if len(board) == 5 and dealer and UNREADABLE not in board:
        best = evaluate((*dealer, *board)).value
        for seat in round_.seats.values():
            if seat.exposed and seat.live:
                judged += _compared(seat, board, best)
    return sorted(judged, key=lambda hand: hand.key)


def _surrendered(round_: Round) -> tuple[int, ...]:
    """Half of their wager was collected at once, and their cards with it (13:69F-21.8(f))."""
    return tuple(number for number, seat in round_.seats.items() if seat.status == "surrendered")


def _at_once(seat: Seat) -> list[Judged]:
    """Naturals and surrenders are settled before anything else."""
    amount = seat.wagers.get("wager")
    key = str(seat.number)
    if seat.status == "natural":
        won = None if amount is None else percent_of(amount, NATURAL_PERCENT)
        return [Judged(key=key, results={"wager": "win"}, pays={"wager": won}, hand="natural", rule=c.law("21.8(b)"))]
    if seat.status == "surrendered":
        half = None if amount is None else -((amount + 1) // 2)
        return [Judged(key=key, results={"wager": "lose"}, pays={"wager": half}, hand="surrendered", rule=c.law("21.8(f)"))]
    return []


def _against_natural(seat: Seat) -> list[Judged]:
    """A dealer's natural takes the original wager only; a second wager goes back."""
    rule = c.law("21.8(h)")
    amount = seat.wagers.get("wager")
    if seat.status == "split":
        second = None if seat.wagers.get("second") is None else 0
        return [
            Judged(key=f"{seat.number} hand 1", results={"wager": "lose"}, pays={"wager": c.lost(amount)}, rule=rule),
            Judged(key=f"{seat.number} hand 2", results={"wager": "push"}, pays={"wager": second}, rule=rule),
        ]
    return [Judged(key=str(seat.number), results={"wager": "lose"}, pays={"wager": c.lost(amount)}, rule=rule)]


def _compared(seat: Seat, board: tuple[Card, ...], dealer: int) -> list[Judged]:
    if seat.status != "split":
        return _one_hand(str(seat.number), c.kept_cards(seat), seat.wagers.get("wager"), board, dealer)
    first = _one_hand(f"{seat.number} hand 1", c.kept_cards(seat), seat.wagers.get("wager"), board, dealer)
    second = c.kept_cards(seat, "keep 2") or c.kept_cards(seat, "discard")
    return first + _one_hand(f"{seat.number} hand 2", second, seat.wagers.get("second"), board, dealer)


def _one_hand(key: str, kept: tuple[Card, ...], amount: int | None, board: tuple[Card, ...], dealer: int) -> list[Judged]:
    """A player wins only when strictly higher; an identical hand is a copy and loses."""
    if len(kept) != 2:
        return []
    hand = evaluate((*kept, *board))
    rule: Rule = c.law("21.8(k)")
    if hand.value > dealer:
        return [Judged(key=key, results={"wager": "win"}, pays={"wager": c.net(amount)}, hand=hand.text, rule=c.law("21.8(n)"))]
    words = f"{hand.text}, copy hand" if hand.value == dealer else hand.text
    return [Judged(key=key, results={"wager": "lose"}, pays={"wager": c.lost(amount)}, hand=words, rule=rule)]


GAME = Game(
    key="fast-action-hold-em",
    title="Fast Action Hold 'Em",
    law="13:69F-21",
    summary="Four cards, two kept, five community cards against the dealer; split, surrender, naturals.",
    settings=SETTINGS,
    wagers=(
        WagerKind(name="wager", required=True, rule=c.law("21.8(c)"), meaning="before the cards"),
        WagerKind(name="second", before_deal=False, rule=c.law("21.8(c)"), meaning="equal to the first, when a hand is split"),
    ),
    deck=lambda settings: DeckSpec(decks=settings.number("decks")),
    deals={Method.MANUAL_SHOE: _deal_cards, Method.HAND: _deal_cards, Method.AUTOMATED_SHOE: _deal_stacks},
    play=_play,
    irregularities=_irregularities,
    judge=_judge,
    settled_early=_surrendered,
    stub=None,
    shoe_game=True,
    permitted=c.permitted_by_setting(SHOE_ONLY),
    cards_needed=lambda settings, seats: 4 * seats + 10,
    house_way=_house_way,
    is_natural=_is_natural,
)
