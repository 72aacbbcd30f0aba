"""What the tests of the baccarat games share: tables, hands that win, and the drawing table in words of its own."""

from __future__ import annotations

from controller.dealing.settings import Plain
from tests.controller.games.rounds import open_table
from tests.controller.table.bench import Bench

MINI, PUNTO, CHEMIN = "minibaccarat", "baccarat-punto-banco", "baccarat-chemin-de-fer"
FOUR = ["player", "banker", "player", "banker"]
PLAYER_WINS, BANKER_WINS, TIES = "9h 2c Kd 5s", "2c 9h 5s Kd", "9h 9c Kd Ks"
NAMES = {0: "Kd", 1: "Ad", **{n: f"{n}d" for n in range(2, 10)}}
DRAWS = {0: range(10), 1: range(10), 2: range(10), 3: (0, 1, 2, 3, 4, 5, 6, 7, 9), 4: range(2, 8), 5: range(4, 8), 6: (6, 7), 7: ()}


def table(game: str, cards: str, **house: Plain) -> Bench:
    """A table without an opening burn; where the house banks, the deal is face up."""
    settings: dict[str, Plain] = {"shoe_start_burn": False}
    settings |= {"six_after_stay": "stay"} if game == CHEMIN else {"face_up_deal": True}
    return open_table(game, "manual-shoe", {**settings, **house}, cards)
