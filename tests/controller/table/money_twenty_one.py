"""The money of finished rounds of the blackjack family, worked out again from the cards that lie, by its own count of points."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from controller.dealing.procedure import Procedure
from controller.dealing.round import PlayedHand, Round
from firmware_bridge.cards import Card

LOOK = "the test settles the round again"
Expected = tuple[str, Fraction]
"""(result, net of one unit)."""


def points(cards: tuple[Card, ...]) -> tuple[int, bool]:
    """(points, soft), counted the slow way: every ace as eleven, then one after the other as one."""
    total, elevens = sum(min(card.rank, 10) if card.rank > 1 else 11 for card in cards), sum(card.rank == 1 for card in cards)
    while total > 21 and elevens:
        total, elevens = total - 10, elevens - 1
    return total, elevens > 0


def natural(cards: tuple[Card, ...]) -> bool:
    """Ace and a card of ten."""
    return len(cards) == 2 and points(cards)[0] == 21


def _hands(round_: Round) -> list[tuple[str, PlayedHand, tuple[Card, ...]]]:
    dead = {n for n, seat in round_.seats.items() if seat.status == "dead"}
    return [
        (place.removeprefix("seat "), hand, round_.cards_at(place, LOOK))
        for place, hand in round_.played.items()
        if int(place.split()[1]) not in dead
    ]


def check_void_hands(round_: Round, number: int) -> None:
    """Hands that were settled at once keep what they won or lost; all other wagers go back."""
    for key, hand, _ in _hands(round_):
        if int(key.split()[0]) != number:
            continue
        for name in hand.wagers:
            result, pay = round_.results[key][name], round_.pays[key][name]
            assert result in ("win", "lose", "push") if hand.cleared else result == "void", f"{key} {name}: {result}"
            assert hand.cleared or pay in (0, None)


def check_hands(round_: Round, expected: Callable[[str, PlayedHand, tuple[Card, ...]], Expected], skip: str = "") -> None:
    """Compare the wagers of every hand with what the test expects of it."""
    for key, hand, cards in _hands(round_):
        result, factor = expected(key, hand, cards)
        if result == skip:
            continue
        first = " hand " not in key or key.endswith(" hand 1")
        for name, amount in hand.wagers.items():
            got, pay = round_.results[key][name], round_.pays[key][name]
            told = f"{key} {name} with {cards}, {hand.status}: {got} {pay} of {amount}"
            if result == "first-only":
                assert got == ("lose" if first and name != "double" else "push"), told
                continue
            assert got == result, told
            if amount is not None:
                assert pay is not None, told
                assert abs(pay - amount * factor) < 1, told


def against_dealer(round_: Round, hand: PlayedHand, cards: tuple[Card, ...], pushes: int | None = None) -> Expected:
    """A hand that plays to the end against the dealer's."""
    dealer = round_.cards_at("dealer", LOOK)
    assert all(held.shown for held in round_.hands["dealer"])
    if natural(dealer[:2]):
        return "first-only", Fraction(0)
    own, other = points(cards)[0], points(dealer)[0]
    assert other >= 17
    if other == pushes:
        return "push", Fraction(0)
    if other > 21 or own > other:
        return "win", Fraction(1)
    return ("push", Fraction(0)) if own == other else ("lose", Fraction(-1))


def check_blackjack(procedure: Procedure, round_: Round) -> None:
    """3 to 2 or 6 to 5 for a blackjack, half for a surrender, even money for the rest."""
    pays = Fraction(*map(int, procedure.settings.text("blackjack_odds").split(" to ")))
    dealer = round_.cards_at("dealer", LOOK)

    def expected(key: str, hand: PlayedHand, cards: tuple[Card, ...]) -> Expected:
        if points(cards)[0] > 21:
            return "lose", Fraction(-1)
        if natural(cards) and not hand.split:
            return ("push", Fraction(0)) if round_.dealer_exposed and natural(dealer) else ("win", pays)
        if hand.status == "surrendered":
            lost = round_.dealer_exposed and natural(dealer) and not hand.cleared
            return "lose", Fraction(-1) if lost else Fraction(-1, 2)
        return against_dealer(round_, hand, cards)

    check_hands(round_, expected)
    check_insurance(round_, Fraction(2))
    stands_soft = not procedure.settings.flag("dealer_hits_soft_17")
    check_dealer(round_, stands_soft)


def check_insurance(round_: Round, odds: Fraction) -> None:
    """Insurance wins against a blackjack alone."""
    dealer = round_.cards_at("dealer", LOOK)
    for number, seat in round_.seats.items():
        if "insurance" not in seat.wagers or seat.status == "dead":
            continue
        amount, result, pay = seat.wagers["insurance"], round_.results[str(number)]["insurance"], round_.pays[str(number)]["insurance"]
        won = round_.dealer_exposed and natural(dealer)
        assert result == ("win" if won else "lose")
        assert pay == (None if amount is None else amount * odds if won else -amount)


def check_dealer(round_: Round, stands_on_soft_17: bool) -> None:
    """The dealer drew while the rule said so, and not once more."""
    dealer = round_.cards_at("dealer", LOOK)
    for count in range(2, len(dealer)):
        total, soft = points(dealer[:count])
        assert total < 17 or (total == 17 and soft and not stands_on_soft_17), f"the dealer drew on {total}"


def check_spanish(procedure: Procedure, round_: Round) -> None:
    """Every 21 wins, some at more than even money; a rescue costs the first wager."""
    better = {5: Fraction(3, 2), 6: Fraction(2)}

    def expected(key: str, hand: PlayedHand, cards: tuple[Card, ...]) -> Expected:
        total = points(cards)[0]
        if total > 21:
            return "lose", Fraction(-1)
        if hand.status == "surrendered":
            whole = round_.dealer_exposed and natural(round_.cards_at("dealer", LOOK)) and not hand.cleared
            return "lose", Fraction(-1) if whole else Fraction(-1, 2)
        if hand.status == "rescued":
            return "rescued", Fraction(0)
        if total == 21:
            return "win", _spanish_21(hand, cards, better)
        return against_dealer(round_, hand, cards)

    for key, hand, cards in _hands(round_):
        if hand.status == "rescued":
            for name, amount in hand.wagers.items():
                lost = 0 if name == "double" else -(amount or 0)
                assert round_.pays[key][name] == (None if amount is None else lost), f"{key} {name} {cards}"
    check_hands(round_, expected, skip="rescued")
    check_insurance(round_, Fraction(2))
    check_dealer(round_, stands_on_soft_17=True)


def _spanish_21(hand: PlayedHand, cards: tuple[Card, ...], better: dict[int, Fraction]) -> Fraction:
    if natural(cards) and not hand.split:
        return Fraction(3, 2)
    if hand.doubled:
        return Fraction(1)
    ranks, suits = sorted(card.rank for card in cards), {card.suit for card in cards}
    if ranks in ([6, 7, 8], [7, 7, 7]):
        return Fraction(3, 2) if len(suits) > 1 else Fraction(3) if suits == {4} else Fraction(2)
    return Fraction(3) if len(cards) > 6 else better.get(len(cards), Fraction(1))


def check_double_attack(procedure: Procedure, round_: Round) -> None:
    """Even money everywhere, half for a surrender at any time, and the bonus on a bust of exactly three cards."""
    dealer = round_.cards_at("dealer", LOOK)
    complete = len(dealer) > 1 and all(held.shown for held in round_.hands["dealer"])

    def expected(key: str, hand: PlayedHand, cards: tuple[Card, ...]) -> Expected:
        if points(cards)[0] > 21:
            return "lose", Fraction(-1)
        if hand.status == "surrendered":
            whole = complete and natural(dealer[:2]) and not hand.cleared
            return ("first-only", Fraction(0)) if whole else ("lose", Fraction(-1, 2))
        if natural(cards) and not hand.split:
            return ("push", Fraction(0)) if complete and natural(dealer[:2]) else ("win", Fraction(1))
        return against_dealer(round_, hand, cards)

    check_hands(round_, expected)
    check_dealer(round_, stands_on_soft_17=True)
    for number, seat in round_.seats.items():
        if "bonus" not in seat.wagers or seat.status == "dead":
            continue
        won = len(dealer) == 3 and points(dealer)[0] > 21
        assert round_.results[str(number)]["bonus"] == ("win" if won else "lose"), f"seat {number}, dealer {dealer}"
        assert complete


def check_triple_attack(procedure: Procedure, round_: Round) -> None:
    """A dealer's 22 pushes; a blackjack and six cards win at once; the dealer hits a soft 17."""

    def expected(key: str, hand: PlayedHand, cards: tuple[Card, ...]) -> Expected:
        if points(cards)[0] > 21:
            return "lose", Fraction(-1)
        if (natural(cards) and not hand.split) or len(cards) >= 6:
            return "win", Fraction(1)
        if hand.status == "surrendered":
            whole = round_.dealer_exposed and natural(round_.cards_at("dealer", LOOK)) and not hand.cleared
            return ("first-only", Fraction(0)) if whole else ("lose", Fraction(-1, 2))
        return against_dealer(round_, hand, cards, pushes=22)

    check_hands(round_, expected)
    check_dealer(round_, stands_on_soft_17=False)
