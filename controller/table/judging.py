"""When results may be seen.

A result becomes a fact when the last card that it needs is exposed (`Desk.judge`). It becomes visible with the dealer's `declare` of that
hand, at the latest when the cards are collected: the dealer states it first, the controller confirms.
"""

from __future__ import annotations

from controller.dealing.round import Round


def visible_keys(round_: Round) -> list[str]:
    """Hands whose result may be told."""
    if round_.collected or round_.void:
        return list(round_.results)
    return [key for key in round_.results if key in round_.declared]


def told_wagers(round_: Round, key: str) -> tuple[str, ...]:
    """The wagers of a visible hand whose result may be told: of a hand declared before it was exposed those settled then, else all.

    A last hand of poker that is shown after it was declared the winner has results by halves of the pot instead: they are told.
    """
    results, told = round_.results[key], round_.told.get(key)
    if told is None or round_.collected or round_.void:
        return tuple(results)
    return tuple([wager for wager in told if wager in results]) or tuple(results)


def to_declare(round_: Round) -> list[str]:
    """Hands with results that were not declared yet."""
    return [
        key for key, results in round_.results.items() if key not in round_.declared or set(results) - set(round_.told.get(key, results))
    ]


def overall(results: dict[str, str], telling: tuple[str, ...]) -> str:
    """One word for a hand: the common word of its wagers, else that of the first `telling` wager that it has; a share of a pot is a win."""
    words = set(results.values())
    if len(words) == 1:
        return words.pop()
    return next((results[name] for name in telling if name in results), "win" if "win" in words else "")
