"""Minibaccarat, N.J.A.C. 13:69F-7.

Baccarat on a table of blackjack size: the dealer deals the Player's and the Banker's hand, nobody else touches a card or decides
anything after betting. The chapter's text was not reachable; what follows is the law of a neighbour, published rules and the trade's
pattern, and says so.
"""

from __future__ import annotations

from collections.abc import Mapping

from controller.dealing.game import Game
from controller.dealing.settings import Settings
from controller.dealing.steps import Method, Remedy
from controller.decks import DeckSpec
from controller.games import baccarat_family as family
from controller.games import common as c

SEATS = c.parallel("Washington State rule notice 08-11-065", "seven; PA 629a.2(a) has a table of nine")
SHOE_FAILED = Remedy(
    "supervisor-decides",
    c.parallel("NSW casino rules 12.2-12.4"),
    "The device fails: undamaged cards are transferred and play goes on; where a player or the house is harmed, the round ends.",
)


def _irregularities(method: Method) -> Mapping[str, Remedy]:
    return family.irregularities(method) | {"device-malfunction": SHOE_FAILED}


def _rounds_after_cut(settings: Settings) -> int:
    return settings.number("rounds_after_cut")


GAME = Game(
    key="minibaccarat",
    title="Minibaccarat",
    law="13:69F-7",
    summary="Two common hands dealt by the dealer, nearest to 9 wins; third cards by a fixed table.",
    settings=family.banking_settings(c.seats_setting(7, 1, 9, SEATS), face_up=True),
    wagers=family.BANKING_WAGERS,
    deck=lambda settings: DeckSpec(decks=settings.number("decks")),
    deals={Method.MANUAL_SHOE: family.deal},
    absent=family.ABSENT,
    play=family.play,
    irregularities=_irregularities,
    judge=family.judge,
    stub=None,
    shoe_game=True,
    cards_needed=lambda settings, seats: family.MOST_CARDS,
    may_run_out=True,
    rounds_after_cut=_rounds_after_cut,
)
