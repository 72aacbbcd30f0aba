"""Games in which a seat wagers against the dealer, on its own hand alone, or both: three-card, four-card and two-card joker poker.

The ante is followed by one more wager or a fold; a seat with the side wager alone is asked nothing. What a fold does to the side wager is a
setting: it is lost with the hand, or the cards stay face down under it until it is settled.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from controller.dealing.game import Judged
from controller.dealing.round import Round, Seat, seat_place
from controller.dealing.rules import Rule
from controller.dealing.settings import Plain, Setting, Settings
from controller.dealing.steps import Option
from controller.games import stud
from firmware_bridge.cards import UNREADABLE, Card

AFTER_FOLD = "side_wager_after_fold"
LOST, STAYS = "lost", "stays"


def after_fold_setting(side: str, default: str, rule: Rule) -> Setting:
    """What becomes of the side wager of a seat that folds."""
    words = side.replace("_", " ")
    return Setting(
        name=AFTER_FOLD, default=default, allowed=(LOST, STAYS), rule=rule,
        meaning=f"a fold loses {words} too, or the cards stay under it until it is settled",
    )  # fmt: skip


def odds_setting(name: str, default: Mapping[str, Plain], check: Callable[[Plain], str], meaning: str, rule: Rule) -> Setting:
    """A table of odds to one by hand."""
    return Setting(name=name, default=dict(default), check=check, meaning=meaning, rule=rule)


def has_ante(round_: Round, seat: int) -> bool:
    """True for seats that play against the dealer: they alone are asked."""
    return "ante" in round_.seats[seat].wagers


def fold(settings: Settings, side: str, rule: Rule) -> Option:
    """Giving up the ante, with what the house has set about the side wager."""
    if settings.text(AFTER_FOLD) == STAYS:
        return stud.fold(("ante",), rule, stays_under=side)
    return stud.fold(("ante", side), rule, meaning=f"give up the ante, and {side.replace('_', ' ')} where it was placed")


def kept_side(settings: Settings, side: str) -> str | None:
    """The side wager under which the cards of a folded seat are settled; None where a fold loses it."""
    return side if settings.text(AFTER_FOLD) == STAYS else None


def is_settled_later(settings: Settings, side: str, seat: Seat) -> bool:
    """True while the seat's cards lie at its place, so that they are exposed in the end."""
    return seat.live or (seat.status == "folded" and kept_side(settings, side) is not None and side in seat.wagers)


def anything_open(settings: Settings, side: str) -> Callable[[Round], bool]:
    """A condition: true while any hand is still to be settled."""
    stays = kept_side(settings, side) is not None

    def cards_lie(round_: Round) -> bool:
        return stud.anyone_in(round_) or any(stays and s.status == "folded" and side in s.wagers for s in round_.seats.values())

    return cards_lie


def to_judge(settings: Settings, side: str, round_: Round) -> Iterator[Seat]:
    """Seats whose result can be told now: exposed ones, and those whose cards are gone with their wagers."""
    for number, seat in sorted(round_.seats.items()):
        gone = seat.status == "folded" and not is_settled_later(settings, side, seat)
        if str(number) not in round_.results and (gone or (seat.exposed and seat.status in ("", "folded"))):
            yield seat


def against_dealer(slip: stud.Slip, ante: str, played: str, hand: int, dealer: int | None) -> None:
    """Even money on both wagers; a dealer who does not qualify (None) pays the ante, and the other wager goes back."""
    if dealer is None:
        slip.win(ante)
        slip.push(played)
    elif hand > dealer:
        slip.win(ante, played)
    elif hand == dealer:
        slip.push(ante, played)
    else:
        slip.lose(ante, played)


def side_stands(
    settings: Settings, side: str, round_: Round, rule: Rule, settle: Callable[[stud.Slip, tuple[Card, ...]], None]
) -> list[Judged]:
    """The results of a void round whose side wagers stand: each is settled on the cards at its place, all else has gone back."""
    judged = []
    for _, seat in sorted(round_.seats.items()):
        if side not in seat.wagers or seat.status not in ("", "folded"):
            continue
        slip = stud.Slip(seat)
        slip.void(*(name for name in seat.wagers if name != side))
        cards = round_.cards_at(seat_place(seat.number), "a side wager stands on the player's own cards")
        if not is_settled_later(settings, side, seat):
            slip.void(side)
        elif UNREADABLE in cards:
            slip.unsettled(side)
        else:
            settle(slip, cards)
        judged.append(slip.judged(rule, "void"))
    return judged
