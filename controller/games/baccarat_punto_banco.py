"""Baccarat-Punto Banco, N.J.A.C. 13:69F-3.

The big table: a participant, the curator, holds the shoe and deals face down on the orders of the dealer who calls the game; whoever has
the largest wager on the Player turns that hand. Third cards are forced, nobody chooses. The chapter's text was not reachable; what
follows is the law of a neighbour, published rules and the trade's pattern, and says so.
"""

from __future__ import annotations

from controller.dealing.game import Game
from controller.dealing.repairs import wrong_place
from controller.dealing.round import BANKER, Round
from controller.dealing.settings import Settings
from controller.dealing.steps import Method
from controller.decks import DeckSpec
from controller.games import baccarat_family as family
from controller.games import common as c

SEATS = c.parallel("Washington State rule notice 08-11-065", "up to fourteen numbered seats")

REBUILT = c.house("wrong_place", "not known in law; the hands are rebuilt in the order of the shoe as long as that is possible")


def next_curator(round_: Round, seats: int) -> int | None:
    """The curator keeps the shoe until the Banker's hand loses; then it moves counterclockwise."""
    lost = round_.results.get(BANKER, {}).get("hand") == "lose"
    return family.next_counterclockwise(round_) if lost else round_.button


def _rounds_after_cut(settings: Settings) -> int:
    return settings.number("rounds_after_cut")


GAME = Game(
    key="baccarat-punto-banco",
    title="Baccarat-Punto Banco",
    law="13:69F-3",
    summary="Two common hands dealt by a curator from the shoe, nearest to 9 wins; third cards by a fixed table.",
    settings=(*family.banking_settings(c.seats_setting(14, 1, 14, SEATS), face_up=False), wrong_place("rearrange", REBUILT)),
    wagers=family.BANKING_WAGERS,
    deck=lambda settings: DeckSpec(decks=settings.number("decks")),
    deals={Method.MANUAL_SHOE: family.deal},
    absent=family.ABSENT,
    play=family.play,
    irregularities=family.irregularities,
    judge=family.judge,
    stub=None,
    shoe_game=True,
    cards_needed=lambda settings, seats: family.MOST_CARDS,
    may_run_out=True,
    rounds_after_cut=_rounds_after_cut,
    holder="curator",
    next_holder=next_curator,
)
