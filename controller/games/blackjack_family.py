"""What the four games of the blackjack family share: how hands are played, when they are settled, and what the dealer draws.

A game gives its `Terms`: what rides on a hand, what may be doubled, split and surrendered, which hands are paid at once, and its rules with
their standing. Totals are those of `controller.hands.points`; nothing here knows devices or people.

When a result is known: a bust, a blackjack that the dealer cannot equal and a hand that wins at once, as soon as its cards lie; the others
when the dealer's hand is complete. The dealer draws only where a live wager depends on it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, TypeAlias

from controller.dealing.game import Judged
from controller.dealing.round import DEALER, PlayedHand, Round, Seat, seat_of
from controller.dealing.rules import Rule
from controller.dealing.settings import Settings
from controller.dealing.turn_steps import Closing
from controller.games import common as c
from controller.games.pay import Odds
from controller.hands import points
from firmware_bridge.cards import UNREADABLE, Card

LOOK: Final = "hands of this game lie face up"
NO_CARD: Final = c.parallel("S.D. 20:18:15:28")
WAITS: Final = frozenset({"blackjack", "surrendered"})
"""Hands that play no more and whose result may depend on the dealer's hole card alone."""
ENDED: Final = frozenset({"bust", "rescued"})
EVEN: Final = Fraction(1)
SOFT_21: Final = c.house("soft_21_may_draw")
"""Closes a soft 21, which the text does not bar from drawing."""

Special: TypeAlias = "Callable[[tuple[Card, ...], PlayedHand], tuple[str, Odds] | None]"
"""(words, odds) of a hand of 21 that is paid more than even money."""
SideResult: TypeAlias = "tuple[str, int | None]"
"""(result, net cents) of a side wager."""
Sides: TypeAlias = "Callable[[Settings, Round, Seat], Mapping[str, SideResult]]"
"""Results of a seat's side wagers, as far as they are known."""


def _no_special(cards: tuple[Card, ...], hand: PlayedHand) -> tuple[str, Odds] | None:
    return None


def _no_sides(settings: Settings, round_: Round, seat: Seat) -> Mapping[str, SideResult]:
    return {}


def _two_to_one(dealer: tuple[Card, ...]) -> Odds:
    return 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """The rules of a game, each with its citation and standing."""

    deal: Rule
    hole: Rule
    look: Rule
    insurance: Rule
    hit: Rule
    stand: Rule
    double: Rule
    split: Rule
    split_aces: Rule
    surrender: Rule
    blackjack: Rule
    bust: Rule
    closed_21: Rule
    dealer: Rule
    settle: Rule
    dealer_blackjack: Rule
    collect: Rule
    at_once: Rule
    rescue: Rule


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """What one table of the family plays, from its settings."""

    rules: Rules
    stakes: tuple[str, ...]
    """Wagers of a seat that ride on its hand, the first of them required."""
    hits_soft_17: bool
    blackjack_odds: Odds = EVEN
    blackjack_always_wins: bool = False
    twenty_one_always_wins: bool = False
    cards_that_win: int | None = None
    """So many cards without passing 21 win at once."""
    dealer_22_pushes: bool = False
    soft_21_may_draw: bool = False
    most_hands: int = 4
    split_aces: str = "one-card"
    """`one-card`, `stand-or-double`, or `play` like any other hand."""
    resplits_aces: bool = False
    doubles_any_cards: bool = False
    doubles_after_split: bool = True
    double_percent: tuple[int, int] = (0, 100)
    """Least and most of a double, in percent of the hand's stakes."""
    surrender: str = "first-two"
    """`off`, `first-two` cards, or `any`, also after doubling."""
    rescue: bool = False
    """A doubled hand may be given up for its first wager."""
    special: Special = _no_special
    insurance_odds: Callable[[tuple[Card, ...]], Odds] = _two_to_one
    sides: Sides = _no_sides
    pays_others: bool = False
    """A hand may win something for the other seats, whatever they wagered."""
    side_needs_dealer: Callable[[Round], bool] = lambda round_: False
    """True while a side wager depends on the dealer's complete hand."""


# ---- the cards that lie


def up_card(round_: Round) -> Card | None:
    """The dealer's first card, which lies face up; None before it lies, or unread."""
    held = round_.hands.get(DEALER, ())
    if not held or not held[0].shown:
        return None
    card = round_.cards_at(DEALER, LOOK)[0]
    return card if card is not UNREADABLE else None


def dealer_may_have_blackjack(round_: Round) -> bool:
    """True while the dealer's up card and what was told of the hole card leave it open."""
    up = up_card(round_)
    return up is not None and points.may_be_blackjack(up) and round_.hole_told is not False


def shows_ace(round_: Round) -> bool:
    """The dealer's up card is an ace."""
    up = up_card(round_)
    return up is not None and up.rank == points.ACE


def calls_for_a_look(round_: Round) -> bool:
    """The up card is an ace or a card of ten, and the hole card lies."""
    up = up_card(round_)
    return up is not None and points.may_be_blackjack(up) and len(round_.hands.get(DEALER, ())) == 2


def open_cards(round_: Round, place: str) -> tuple[Card, ...]:
    """A hand that lies face up; empty when a card of it was not read."""
    cards = round_.cards_at(place, LOOK)
    return () if UNREADABLE in cards else cards


def first_two(round_: Round, seat: int) -> tuple[Card, ...]:
    """The first two cards that a seat was dealt, also after it has split them; empty where one was not read."""
    places = round_.played_by(seat)
    if len(places) == 1:
        return open_cards(round_, places[0])[:2]
    return tuple(cards[0] for place in places[:2] if (cards := open_cards(round_, place)))


# ---- hands in play


def closes(terms: Terms, round_: Round, place: str) -> Closing | None:
    """Why the hand's cards end its turn."""
    hand, cards, rules = round_.played[place], open_cards(round_, place), terms.rules
    if len(cards) < 2:
        return None
    total = points.total_of(cards)
    if total.bust:
        return Closing(status="bust", rule=rules.bust, cleared=True)
    if points.is_blackjack(cards) and not hand.split:
        at_once = terms.blackjack_always_wins or not dealer_may_have_blackjack(round_)
        return Closing(status="blackjack", rule=rules.blackjack, cleared=at_once)
    if terms.twenty_one_always_wins and total.points == points.BEST:
        return Closing(status="twenty-one", rule=rules.at_once, cleared=True)
    if terms.cards_that_win is not None and len(cards) >= terms.cards_that_win:
        return Closing(status="many-cards", rule=rules.at_once, cleared=True)
    if hand.doubled:
        return Closing(status="doubled", rule=rules.double)
    if total.points == points.BEST and not (total.soft and terms.soft_21_may_draw):
        return Closing(status="twenty-one", rule=SOFT_21 if total.soft else rules.closed_21)
    if terms.split_aces == "one-card" and is_split_ace(hand, cards) and not may_split(terms, round_, place):
        return Closing(status="one-card", rule=rules.split_aces)
    return None


def is_split_ace(hand: PlayedHand, cards: tuple[Card, ...]) -> bool:
    """One of two aces that were split."""
    return hand.split and cards[0].rank == points.ACE


def may_split(terms: Terms, round_: Round, place: str) -> bool:
    """Two cards of one value, and the seat may have one more hand."""
    hand, cards = round_.played[place], open_cards(round_, place)
    if len(cards) != 2 or hand.doubled or points.value_of(cards[0]) != points.value_of(cards[1]):
        return False
    if is_split_ace(hand, cards) and not terms.resplits_aces:
        return False
    return len(round_.played_by(seat_of(place) or 0)) < terms.most_hands


def is_contested(terms: Terms, round_: Round, place: str) -> bool:
    """The hand's result depends on the dealer's total."""
    hand = round_.played[place]
    seat = round_.seats.get(seat_of(place) or 0)
    settled = hand.cleared or hand.status in ENDED or hand.status in WAITS
    return seat is not None and seat.live and bool(hand.status) and not settled


def dealer_has_to_draw(terms: Terms, round_: Round) -> bool:
    """Some live wager depends on the dealer's total."""
    return any(is_contested(terms, round_, place) for place in round_.played) or terms.side_needs_dealer(round_)


def dealer_is_needed(terms: Terms, round_: Round) -> bool:
    """The dealer's hand is turned up: a live wager depends on the total, or on the hole card."""
    waiting = any(hand.status in WAITS and not hand.cleared for hand in round_.played.values())
    insured = round_.hole_told is None and any("insurance" in seat.wagers for seat in round_.seats.values() if seat.live)
    return dealer_has_to_draw(terms, round_) or waiting or insured or round_.hole_told is True


def hole_is_turned(terms: Terms, round_: Round) -> bool:
    """The hole card is turned up now; there is none where the dealer takes the second card after the players."""
    return dealer_is_needed(terms, round_) and len(round_.hands.get(DEALER, ())) >= 2


def dealer_next(terms: Terms, round_: Round) -> tuple[str, str] | None:
    """Where the next card goes while the dealer's rule asks for one."""
    held, cards = round_.hands.get(DEALER, ()), open_cards(round_, DEALER)
    if not cards or not all(item.shown for item in held):
        return None
    if len(cards) == 1:
        return (DEALER, "up") if dealer_is_needed(terms, round_) else None
    draws = dealer_has_to_draw(terms, round_) and points.dealer_draws(cards, hits_soft_17=terms.hits_soft_17)
    return (DEALER, "up") if draws else None


def dealer_cards(round_: Round) -> tuple[Card, ...]:
    """The dealer's hand once both first cards lie open, else nothing."""
    held = round_.hands.get(DEALER, ())
    return open_cards(round_, DEALER) if len(held) >= 2 and all(item.shown for item in held) else ()


def dealer_is_complete(terms: Terms, round_: Round) -> bool:
    """The dealer's cards are up and no further one is drawn."""
    return bool(dealer_cards(round_)) and dealer_next(terms, round_) is None


# ---- settlement


@dataclass(frozen=True, slots=True)
class Result:
    """How the wagers of a hand are settled: `odds` for a win.

    `double_back`: a doubled part goes back. `first_only`: so does all that rides on a further hand of a split.
    """

    word: str
    rule: Rule
    odds: Odds = EVEN
    half: bool = False
    double_back: bool = False
    first_only: bool = False
    words: str = ""


@dataclass(frozen=True, slots=True)
class Dealer:
    """The dealer's hand as far as it lies open: `total` when both first cards do, `complete` when no further one is drawn."""

    cards: tuple[Card, ...]
    total: points.Total
    blackjack: bool
    complete: bool
    may_have_blackjack: bool


def dealer_of(terms: Terms, round_: Round) -> Dealer:
    """What is known of the dealer's hand."""
    cards = dealer_cards(round_)
    complete = bool(cards) and dealer_next(terms, round_) is None
    return Dealer(cards, points.total_of(cards), points.is_blackjack(cards[:2]), complete, dealer_may_have_blackjack(round_))


def result_of(terms: Terms, dealer: Dealer, hand: PlayedHand, cards: tuple[Card, ...]) -> Result | None:
    """The result of one hand, None while it is not known."""
    rules = terms.rules
    match hand.status:
        case "":
            return None
        case "bust":
            return Result("lose", rules.bust, words="over 21")
        case "rescued":
            return Result("lose", rules.rescue, double_back=True, words="rescued")
        case "surrendered":
            return _surrendered(terms, dealer, hand)
        case "blackjack":
            return _blackjack(terms, dealer, hand)
        case "twenty-one" | "many-cards" if hand.cleared:
            words, odds = (terms.special(cards, hand) if not hand.doubled else None) or (str(points.total_of(cards)), EVEN)
            return Result("win", rules.at_once, odds, words=words)
        case _:
            return _against_dealer(terms, dealer, cards) if dealer.complete and cards else None


def _surrendered(terms: Terms, dealer: Dealer, hand: PlayedHand) -> Result | None:
    if not hand.cleared and dealer.blackjack:
        return Result("lose", terms.rules.dealer_blackjack, double_back=True, first_only=True, words="surrendered")
    if hand.cleared or dealer.cards or not dealer.may_have_blackjack:
        return Result("lose", terms.rules.surrender, half=True, words="surrendered")
    return None


def _blackjack(terms: Terms, dealer: Dealer, hand: PlayedHand) -> Result | None:
    if hand.cleared or terms.blackjack_always_wins or (dealer.cards and not dealer.blackjack):
        return Result("win", terms.rules.blackjack, terms.blackjack_odds, words="blackjack")
    return Result("push", terms.rules.settle, words="blackjack") if dealer.cards else None


def _against_dealer(terms: Terms, dealer: Dealer, cards: tuple[Card, ...]) -> Result:
    own, rules = points.total_of(cards), terms.rules
    if dealer.blackjack:
        return Result("lose", rules.dealer_blackjack, double_back=True, first_only=True, words=str(own))
    if terms.dealer_22_pushes and dealer.total.points == points.BEST + 1:
        return Result("push", rules.dealer, words=str(own))
    if dealer.total.bust or own.points > dealer.total.points:
        return Result("win", rules.settle, words=str(own))
    return Result("push" if own.points == dealer.total.points else "lose", rules.settle, words=str(own))


def judge(terms: Terms, settings: Settings, round_: Round) -> list[Judged]:
    """What is known of every seat's hands and side wagers."""
    judged = [_dead(seat) for seat in round_.seats.values() if seat.status == "dead"]
    dealer = dealer_of(terms, round_)
    for number in round_.live_seats():
        places, seat = round_.played_by(number), round_.seats[number]
        if not places:
            continue
        beside = len(seat.wagers) > 1
        sides = {**_insurance(terms, round_, dealer, seat), **terms.sides(settings, round_, seat)} if beside or terms.pays_others else {}
        for place in places:
            hand = round_.played[place]
            result = result_of(terms, dealer, hand, open_cards(round_, place)) if hand.status else None
            own = sides if len(places) == 1 else {}
            if result is not None or own:
                judged.append(_slip(terms, place, hand, result, own))
        if len(places) > 1 and sides:
            judged.append(_judged(str(number), sides, terms.rules.settle))
    return judged


def _dead(seat: Seat) -> Judged:
    """A box that got no card plays for nothing: its wagers go back."""
    pays = {name: None if amount is None else 0 for name, amount in seat.wagers.items()}
    return Judged(key=str(seat.number), results=dict.fromkeys(seat.wagers, "void"), pays=pays, rule=NO_CARD, hand="no card")


def _slip(terms: Terms, place: str, hand: PlayedHand, result: Result | None, sides: Mapping[str, SideResult]) -> Judged:
    key = place.removeprefix("seat ")
    further = " hand " in key and not key.endswith(" hand 1")
    rows: dict[str, SideResult] = {}
    if result is not None:
        for name, amount in hand.wagers.items():
            goes_back = (result.first_only and further) or (result.double_back and name not in terms.stakes)
            rows[name] = ("push", None if amount is None else 0) if goes_back else (result.word, _net(result, amount))
    rule = result.rule if result is not None else terms.rules.insurance
    return _judged(key, {**rows, **sides}, rule, result.words if result is not None else "")


def _judged(key: str, rows: Mapping[str, SideResult], rule: Rule, words: str = "") -> Judged:
    results = {name: word for name, (word, _) in rows.items()}
    return Judged(key=key, results=results, pays={name: pay for name, (_, pay) in rows.items()}, rule=rule, hand=words)


def _net(result: Result, amount: int | None) -> int | None:
    if amount is None or result.word == "push":
        return None if amount is None else 0
    if result.word == "win":
        return paid(amount, result.odds)
    return amount // 2 - amount if result.half else -amount


def paid(amount: int, odds: Odds) -> int:
    """What a wager wins, in whole cents, rounded down."""
    return int(amount * odds // 1)


def _insurance(terms: Terms, round_: Round, dealer: Dealer, seat: Seat) -> dict[str, SideResult]:
    if "insurance" not in seat.wagers or not (dealer.cards or round_.hole_told is False):
        return {}
    amount = seat.wagers["insurance"]
    if not dealer.blackjack:
        return {"insurance": ("lose", c.lost(amount))}
    odds = terms.insurance_odds(dealer.cards)
    return {"insurance": ("win", None if amount is None else paid(amount, odds))}
