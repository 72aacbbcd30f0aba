"""Games that other packages bring, found by the entry points of the group `shoed.games`.

An entry point is named as the key of its game and leads to the `Game` value. It is imported when that game is asked for, never before, and
one that cannot be used spoils no other. A package adds games; it never replaces one of this package, whose rules others rely on.
"""

from __future__ import annotations

from collections.abc import Collection
from importlib.metadata import EntryPoint, entry_points
from typing import Final

from controller.dealing.game import Game
from controller.errors import ShoedError

GROUP: Final = "shoed.games"


class GameNotLoadableError(ShoedError):
    """An entry point promises a game that cannot be used."""

    def __init__(self, entry: EntryPoint, why: str) -> None:
        super().__init__(
            "game-not-loadable",
            f"The game '{entry.name}' ({entry.value}) cannot be used: {why}.",
            "Mend or remove the package that brings this game.",
        )


def installed_keys() -> tuple[str, ...]:
    """The keys of the games that other packages bring, each once; none is imported for this."""
    return tuple(sorted({entry.name for entry in entry_points(group=GROUP)}))


def load_installed(key: str, taken: Collection[str] = ()) -> Game | None:
    """The game of this key that another package brings; None when no package does. `taken` are keys that are no package's to bring.

    Raises:
        GameNotLoadableError: it cannot be imported, is no game, is named otherwise, or is brought by two packages.
    """
    found = list(entry_points(group=GROUP, name=key))
    if not found:
        return None
    entry = found[0]
    if key in taken:
        raise GameNotLoadableError(entry, "shoed has a game of this key")
    if len({other.value for other in found}) > 1:
        raise GameNotLoadableError(entry, f"two packages bring it: {' and '.join(sorted(other.value for other in found))}")
    try:
        game = entry.load()
    except Exception as error:  # another package's code may raise anything; none of it is ours to foresee
        raise GameNotLoadableError(entry, f"{type(error).__name__}: {error}") from error
    if not isinstance(game, Game):
        raise GameNotLoadableError(entry, f"it is a {type(game).__name__} and no Game")
    if game.key != entry.name:
        raise GameNotLoadableError(entry, f"its key is '{game.key}'")
    return game
