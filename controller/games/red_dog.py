"""Red Dog, N.J.A.C. 13:69F-6.

Two cards face up for everybody; a third wins for all seats when its rank falls strictly between them. Neighbours end the round, a pair wins
eleven to one with a third card of its rank, and with a spread of one to eleven each seat may raise before the third card. The text of
subchapter 6 was not reached: the procedure is drawn from agreeing published sheets, and every rule says so.
"""

from __future__ import annotations

from collections.abc import Mapping

from controller.dealing.game import Game, Judged
from controller.dealing.round import COMMUNITY, Round, Seat
from controller.dealing.settings import Plain, Setting, Settings, shown
from controller.dealing.sizes import Size
from controller.dealing.steps import Burn, Collect, Deal, Decide, Face, Method, Option, Remedy, Settle, Step, WagerKind, Wagers, Who
from controller.decks import DeckSpec
from controller.games import common as c
from controller.games.stud import Slip
from controller.hands.poker import high_rank, rank_name
from firmware_bridge.cards import UNREADABLE, Card

ORIGINAL, RAISE = "original", "raise"
PAIR = -1
"""The spread of two equal ranks."""
CONSECUTIVE = 0
WIDEST = 4
"""Spreads from this one on pay alike."""
SPREAD_ODDS: dict[str, Plain] = {"1": 5, "2": 4, "3": 2, "4": 1}
SHEETS = c.parallel("published Red Dog rule sheets")
LEFT_THEN_RIGHT = c.parallel("published Red Dog rule sheets", "left, then right, with a gap between")
MOST_CARDS = 3


def spread_of(left: Card, right: Card) -> int:
    """How many ranks lie between two cards: -1 for a pair, 0 for neighbours, at most 11; the ace is always high."""
    return abs(high_rank(left.rank) - high_rank(right.rank)) - 1


def is_between(left: Card, right: Card, third: Card) -> bool:
    """True when the third card's rank lies strictly between the others'."""
    low, high = sorted((high_rank(left.rank), high_rank(right.rank)))
    return low < high_rank(third.rank) < high


def _check_spread_odds(value: Plain) -> str:
    if not isinstance(value, dict) or set(value) != set(SPREAD_ODDS):
        return "it is a table of odds to one for the spreads 1, 2, 3 and 4 (four and more)"
    for spread, odds in value.items():
        if isinstance(odds, bool) or not isinstance(odds, int) or odds < 1:
            return f"the odds for spread {spread} are '{shown(odds)}'; write a whole number of odds to one"
    return ""


SETTINGS = (
    c.seats_setting(7, 1, 9, c.parallel("published Red Dog rule sheets", "a table of blackjack size")),
    Setting(name="decks", default=8, between=(1, 8), meaning="decks in the shoe",
            rule=c.house("decks", "one to eight are played; the minimum of this state is not known")),
    c.SHOE_START_BURN,
    Setting(
        name="raise_limit", default="up-to", allowed=("up-to", "equal"), meaning="any amount up to the original wager, or equal to it",
        rule=c.parallel("published Red Dog rule sheets", "some houses: exactly equal"),
    ),
    Setting(name="pair_odds", default=11, between=(1, 50), meaning="odds to one of a third card equal to a pair", rule=SHEETS),
    Setting(name="spread_odds", default=SPREAD_ODDS, check=_check_spread_odds, rule=SHEETS,
            meaning="odds to one of a third card between the others, by spread; 4 is four and more"),
)  # fmt: skip


# ---- the procedure


def _common(round_: Round) -> tuple[Card, ...]:
    return round_.shown_cards(COMMUNITY)


def _spread(round_: Round) -> int:
    cards = _common(round_)
    return spread_of(cards[0], cards[1]) if len(cards) > 1 else PAIR


def _raises_are_asked(round_: Round) -> bool:
    return _spread(round_) > CONSECUTIVE


def _third_card_is_due(round_: Round) -> bool:
    return _spread(round_) != CONSECUTIVE


def announcement(round_: Round) -> str:
    """What the dealer announces when the two cards lie."""
    spread = _spread(round_)
    if spread == CONSECUTIVE:
        return "Consecutive: the round ends, no third card."
    if spread == PAIR:
        return f"Pair of {rank_name(high_rank(_common(round_)[0].rank), plural=True)}: no raises; the third card now."
    return f"Spread {spread}: set the marker, then ask for raises."


def _deal(settings: Settings) -> tuple[Step, ...]:
    burn = (Burn(cards=1, when=c.fresh_shoe, rule=c.parallel("PA 685a.7(c)", "of blackjack")),) if settings.flag("shoe_start_burn") else ()
    first = Deal(
        to=(Who.COMMUNITY,),
        facing=(Face.UP, Face.UP),
        announces=announcement,
        rule=LEFT_THEN_RIGHT,
    )
    return Wagers(rule=c.memory("no more bets")), *burn, first


def _play(settings: Settings) -> tuple[Step, ...]:
    size = Size(of=(ORIGINAL,)) if settings.text("raise_limit") == "equal" else Size(of=(ORIGINAL,), between=(0, 100))
    options = (
        Option(choose=RAISE, meaning="wager more on a third card between the others", places=RAISE, size=size, rule=SHEETS),
        Option(choose="call", meaning="let the original wager stand alone", rule=SHEETS),
    )
    return (
        Decide(options=options, when=_raises_are_asked, rule=c.parallel("published Red Dog rule sheets", "the order of seats by memory")),
        Deal(to=(Who.COMMUNITY,), facing=(Face.UP,), when=_third_card_is_due, rule=SHEETS),
        Settle(face_up=True, rule=c.analogy("34.12(h)")),
        Collect(rule=c.analogy("34.12(j)")),
    )


def _irregularities(method: Method) -> Mapping[str, Remedy]:
    return {
        "card-face-up": Remedy("discard-and-continue", c.analogy("26.15(a)"), "One card face up in the shoe is not used: to the rack."),
        "cards-face-up": Remedy("round-void", c.analogy("26.15(a)"), "More than one card face up in a round: round void, shuffle again."),
        "card-drawn-in-error": Remedy(
            "use-as-next", c.parallel("S.D. 20:18:15:28", "of blackjack"), "A card drawn in error and not shown is used as the next card."
        ),
        "shuffler-malfunction": c.SHUFFLER_FAILED,
    }


# ---- settlement


def _judge(settings: Settings, round_: Round) -> list[Judged]:
    cards = _common(round_)
    if len(cards) < 2 or UNREADABLE in cards:
        return []
    if spread_of(cards[0], cards[1]) != CONSECUTIVE and len(cards) < MOST_CARDS:
        return []
    return [_judged(settings, seat, cards) for _, seat in sorted(round_.seats.items()) if seat.live]


def _judged(settings: Settings, seat: Seat, cards: tuple[Card, ...]) -> Judged:
    slip, spread = Slip(seat), spread_of(cards[0], cards[1])
    if spread == CONSECUTIVE:
        slip.push(ORIGINAL)
        return slip.judged(SHEETS, "consecutive")
    third = rank_name(high_rank(cards[2].rank))
    if spread == PAIR:
        if spread_of(cards[0], cards[2]) == PAIR:
            slip.win(ORIGINAL, odds=settings.number("pair_odds"))
        else:
            slip.push(ORIGINAL)
        return slip.judged(SHEETS, f"pair, then {third}")
    if is_between(*cards[:MOST_CARDS]):
        odds = settings.table("spread_odds")[str(min(spread, WIDEST))]
        slip.win(ORIGINAL, RAISE, odds=odds if isinstance(odds, int) else None)
    else:
        slip.lose(ORIGINAL, RAISE)
    return slip.judged(SHEETS, f"spread {spread}, then {third}")


GAME = Game(
    key="red-dog",
    title="Red Dog",
    law="13:69F-6",
    summary="Two common cards, raises by the spread, and a third card that wins when it falls between them.",
    settings=SETTINGS,
    wagers=(
        WagerKind(name=ORIGINAL, required=True, rule=SHEETS, meaning="before the cards"),
        WagerKind(name=RAISE, before_deal=False, rule=SHEETS, meaning="optional, after two cards with a spread"),
    ),
    deck=lambda settings: DeckSpec(decks=settings.number("decks")),
    deals={Method.MANUAL_SHOE: _deal},
    absent=c.singly(c.memory("red dog from the hand", "not known of this game")),
    play=_play,
    irregularities=_irregularities,
    judge=_judge,
    stub=None,
    shoe_game=True,
    cards_needed=lambda settings, seats: settings.flag("shoe_start_burn") + MOST_CARDS,
)
