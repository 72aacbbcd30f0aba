"""The streets of poker: what is dealt when, and who acts first in each betting round.

Every street but the first is dealt only while at least two players are left. A burn is made before each of them unless it counts as made
already, because a card that the dealer exposed became the burn, or because board cards were shuffled back.
"""

from __future__ import annotations

from collections.abc import Callable

from controller.dealing.round import COMMUNITY, Round, seat_place
from controller.dealing.rules import Rule
from controller.dealing.settings import Settings
from controller.dealing.steps import (
    Betting,
    Burn,
    Condition,
    Deal,
    Exchange,
    Face,
    First,
    Option,
    Step,
    Wagers,
    Who,
)
from controller.games import common as c
from controller.games.poker_variants import Family, Variant
from controller.hands.showing import door_high, door_low, showing_high, showing_low

DECK = 52
UP, DOWN = Face.UP, Face.DOWN
SHEET = c.parallel("casino poker rules sheet")
GAME_TEXTS = c.parallel("game descriptions", "the usual form of the game")
DRAW_RULE = c.memory("draw poker", "the usual form of the game")
FOLD = Option(
    choose="fold", meaning="give up the hand, face down to the muck; it is dead at once", status="folded",
    rule=c.memory("folding in poker"),
)  # fmt: skip
PLAYERS = c.parallel("PA 637a.7(b)", "at least two players; the dealer never plays")


def contested(round_: Round) -> bool:
    """At least two players are left."""
    return len(round_.live_seats()) > 1


def streets(variant: Variant, settings: Settings) -> tuple[Step, ...]:
    """All steps from the wagers to the last betting round."""
    match variant.family:
        case Family.BOARD:
            return _board_game(variant)
        case Family.DRAW:
            return _draw_game(variant, settings)
        case Family.STUD:
            return _stud_game(variant)


def _betting(opener: Callable[[Round], int | None], opens: str, rule: Rule) -> Betting:
    return Betting(options=(FOLD,), opener=opener, opens=opens, when=contested, rule=rule)


def _burn(number: int, rule: Rule) -> Burn:
    """The burn of this number in the round."""
    return Burn(when=lambda round_: contested(round_) and round_.burned < number, rule=rule)


# ---- hold 'em and Omaha


def _board_game(variant: Variant) -> tuple[Step, ...]:
    holdem = variant.own == 2
    deal = c.law("14.10(e)", "the seat left of the button first, the button last") if holdem else SHEET
    flop = c.law("14.10(g)") if holdem else SHEET
    betting = c.law("14.10(f)") if holdem else SHEET
    later = c.memory("14.10(h)-(i)", "turn and river; a casino's rules sheet says the same") if holdem else SHEET
    steps: list[Step] = [
        Wagers(least=2, rule=c.law("14.10(b)", "only who posts the ante or blind is dealt") if holdem else PLAYERS),
        Deal(to=(Who.WAGERED,), facing=(DOWN,) * variant.own, first=First.AFTER_BUTTON, rule=deal),
        _betting(after_the_blinds, "The seat after the big blind, or after a straddle, acts first", betting),
    ]
    for number, (cards, rule) in enumerate(((3, flop), (1, later), (1, later)), start=1):
        steps += [
            _burn(number, rule),
            Deal(to=(Who.COMMUNITY,), facing=(UP,) * cards, when=contested, rule=rule),
            _betting(after_the_button, "The first seat still in after the button acts first", betting),
        ]
    return tuple(steps)


def _after_button(round_: Round, seats: list[int]) -> list[int]:
    button = round_.button or 0
    return [n for n in seats if n > button] + [n for n in seats if n <= button]


def after_the_button(round_: Round) -> int | None:
    """The first seat still in, clockwise from the button."""
    return next(iter(_after_button(round_, round_.live_seats())), None)


def after_the_blinds(round_: Round) -> int | None:
    """The seat after the second one dealt to, which has the big blind; a straddle of the next seat moves it on by one."""
    order = _after_button(round_, sorted(round_.seats))
    first = 2
    if len(order) > first and "straddle" in round_.seats[order[first]].wagers:
        first += 1
    turn = order[first % len(order) :] + order[: first % len(order)]
    return next((n for n in turn if round_.seats[n].live), None)


# ---- draw games


def _draw_game(variant: Variant, settings: Settings) -> tuple[Step, ...]:
    most = min(settings.number("draw_most"), variant.own)
    draw = Option(
        choose="draw", meaning=f"throw away one to {most} cards and get as many at once", exchanges=most,
        rule=c.house("draw_most", "any number by the house's rule"),
    )  # fmt: skip
    stand = Option(choose="stand", also=("stay",), meaning="keep all cards", rule=DRAW_RULE)
    steps: list[Step] = [
        Wagers(least=2, rule=PLAYERS),
        Deal(to=(Who.WAGERED,), facing=(DOWN,) * variant.own, first=First.AFTER_BUTTON, rule=DRAW_RULE),
        _betting(after_the_blinds, "The seat after the big blind, or after a straddle, acts first", DRAW_RULE),
    ]
    for number in range(1, variant.draws + 1):
        steps += [
            _burn(number, DRAW_RULE),
            Exchange(options=(draw, stand), first=First.AFTER_BUTTON, own_stay=variant.draws == 1, when=contested, rule=DRAW_RULE),
            _betting(after_the_button, "The first seat still in after the button acts first", DRAW_RULE),
        ]
    return tuple(steps)


# ---- stud games


def _stud_game(variant: Variant) -> tuple[Step, ...]:
    seven = variant.own == 7
    rule = GAME_TEXTS if seven else c.memory("five-card stud", "the usual form of the game")
    first = _highest_door if variant.opens_high else _lowest_door
    words = f"The {'highest' if variant.opens_high else 'lowest'} up card opens with the forced bet, {_TIES[variant.opens_high]}"
    later = _lowest_showing if variant.opens_high else _highest_showing
    later_words = f"The {'lowest' if variant.opens_high else 'highest'} hand showing acts first"
    steps: list[Step] = [
        Wagers(least=2, rule=PLAYERS),
        Deal(to=(Who.WAGERED,), facing=(DOWN, DOWN, UP) if seven else (DOWN, UP), rule=rule),
        _betting(first, words, rule),
    ]
    for number in (1, 2, 3):
        steps += [
            _burn(number, rule),
            Deal(to=(Who.LIVE,), facing=(UP,), when=contested, rule=rule),
            _betting(later, later_words, rule),
        ]
    return (*steps, *_seventh_street(rule), _betting(later, later_words, rule)) if seven else tuple(steps)


_TIES = {False: "clubs lowest among equal ranks", True: "spades highest among equal ranks"}


def _seventh_street(rule: Rule) -> tuple[Step, ...]:
    """A last card for each, or where burn and cards are too many for the rest of the deck, one card in the centre for all."""
    shared = c.parallel("seven-card stud rules", "three sources agree on the card for all; the burn is made if a card is left for it")
    served: Condition = lambda round_: contested(round_) and not _short(round_)  # noqa: E731  # a condition of two steps
    short: Condition = lambda round_: contested(round_) and _short(round_)  # noqa: E731
    return (
        Burn(when=lambda round_: served(round_) and round_.burned < 4, rule=rule),
        Deal(to=(Who.LIVE,), facing=(DOWN,), when=served, rule=rule),
        Burn(when=lambda round_: short(round_) and round_.burned < 4 and _left(round_) > 1, rule=shared),
        Deal(to=(Who.COMMUNITY,), facing=(UP,), when=short, rule=shared),
    )


def _left(round_: Round) -> int:
    return DECK - round_.out + sum(as_next for _, as_next in round_.aside)


def _short(round_: Round) -> bool:
    """No seventh card lies yet, and the rest of the deck cannot give the burn and one card to each."""
    live = round_.live_seats()
    dealt = any(len(round_.hands.get(seat_place(n), ())) >= 7 for n in live) or COMMUNITY in round_.hands
    return not dealt and _left(round_) < len(live) + (round_.burned < 4)


def _doors(round_: Round) -> list[int]:
    """Seats still in whose last open card was read."""
    return [n for n in round_.live_seats() if (cards := round_.shown_cards(seat_place(n))) and cards[-1].code]


def _lowest_door(round_: Round) -> int | None:
    return min(_doors(round_), key=lambda n: door_high(round_.shown_cards(seat_place(n))[-1]), default=None)


def _highest_door(round_: Round) -> int | None:
    return max(_doors(round_), key=lambda n: door_low(round_.shown_cards(seat_place(n))[-1]), default=None)


def _highest_showing(round_: Round) -> int | None:
    return max(_doors(round_), key=lambda n: (showing_high(round_.shown_cards(seat_place(n))), -n), default=None)


def _lowest_showing(round_: Round) -> int | None:
    return min(_doors(round_), key=lambda n: (showing_low(round_.shown_cards(seat_place(n))), n), default=None)
