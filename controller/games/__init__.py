"""The games, one module each, found by their key."""

from __future__ import annotations

from typing import Final

from controller.dealing.game import Game
from controller.dealing.settings import nearest
from controller.errors import ShoedError
from controller.games import (
    asia_poker,
    baccarat_chemin_de_fer,
    baccarat_punto_banco,
    blackjack,
    caribbean_stud_poker,
    casino_war,
    colorado_hold_em_poker,
    double_attack_blackjack,
    double_cross_poker,
    double_down_stud,
    fast_action_hold_em,
    flop_poker,
    four_card_poker,
    let_it_ride_poker,
    mini_tex_3_card_hold_em,
    minibaccarat,
    mississippi_stud,
    pai_gow_poker,
    red_dog,
    spanish_21,
    supreme_pai_gow,
    texas_hold_em_bonus_poker,
    three_card_poker,
    triple_attack_blackjack,
    two_card_joker_poker,
    ultimate_texas_hold_em,
    winners_pot_poker,
)


class UnknownGameError(ShoedError):
    """No game of this key."""


GAMES: Final[dict[str, Game]] = {
    module.GAME.key: module.GAME
    for module in (
        asia_poker,
        baccarat_chemin_de_fer,
        baccarat_punto_banco,
        blackjack,
        caribbean_stud_poker,
        casino_war,
        colorado_hold_em_poker,
        double_attack_blackjack,
        double_cross_poker,
        double_down_stud,
        fast_action_hold_em,
        flop_poker,
        four_card_poker,
        let_it_ride_poker,
        mini_tex_3_card_hold_em,
        minibaccarat,
        mississippi_stud,
        spanish_21,
        pai_gow_poker,
        red_dog,
        supreme_pai_gow,
        texas_hold_em_bonus_poker,
        three_card_poker,
        two_card_joker_poker,
        ultimate_texas_hold_em,
        triple_attack_blackjack,
        winners_pot_poker,
    )
}


def find_game(key: str) -> Game:
    """The game of this key.

    Raises:
        UnknownGameError: there is none; the message names the nearest.
    """
    game = GAMES.get(key)
    if game is None:
        raise UnknownGameError(
            code="unknown-game",
            what=f"There is no game '{key[:60]}'{nearest(key, GAMES)}.",
            do="List them with: shoed games list",
        )
    return game
