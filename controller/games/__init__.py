"""The games, one module each, found by their key; other packages may bring more (`controller.games.installed`)."""

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
    boston_5_stud_poker,
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
    poker,
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
from controller.games.installed import GameNotLoadableError, installed_keys, load_installed


class UnknownGameError(ShoedError):
    """No game of this key."""


GAMES: Final[dict[str, Game]] = {
    module.GAME.key: module.GAME
    for module in (
        asia_poker,
        baccarat_chemin_de_fer,
        baccarat_punto_banco,
        blackjack,
        boston_5_stud_poker,
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
        poker,
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
    """The game of this key: one of this package, or one that another package brings.

    Raises:
        UnknownGameError: there is none; the message names the nearest.
        GameNotLoadableError: another package promises it, and it cannot be used.
    """
    game = GAMES.get(key) or load_installed(key)
    if game is None:
        raise UnknownGameError(
            code="unknown-game",
            what=f"There is no game '{key[:60]}'{nearest(key, [*GAMES, *installed_keys()])}.",
            do="List them with: shoed games list",
        )
    return game


def every_game() -> tuple[list[Game], list[GameNotLoadableError]]:
    """All games, those of other packages last, and what is wrong with those that cannot be used."""
    games, broken = list(GAMES.values()), []
    for key in installed_keys():
        try:
            game = load_installed(key, GAMES)
        except GameNotLoadableError as error:
            broken.append(error)
        else:
            games += [game] if game is not None else []
    return games, broken
