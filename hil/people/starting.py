"""How simulated people fix the starting position: by dice, a number or a named place."""

from __future__ import annotations

import random

from hil.people.moves import Plain


def any_start(seats: int, rng: random.Random) -> Plain:
    """Return one of the ways that a table with so many seats has."""
    match rng.randrange(4):
        case 0:
            return {"dice": sum(rng.randint(1, 6) for _ in range(3))}
        case 1:
            return {"number": rng.randint(1, seats + 1)}
        case 2:
            return {"seat": "dealer"}
        case _:
            return {"seat": rng.randint(1, seats)}
