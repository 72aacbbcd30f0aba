"""Persons who prove themselves by a code: who enters diagnostic mode, and the second person of the house (EQ-78, EQ-81).

The configuration holds a salted scrypt hash of each code, never the code. Where it names no person, people are taken on their word, which
`shoed doctor` tells. Codes are checked in a thread, since that takes a twentieth of a second on purpose, and whoever guesses has to wait.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import time
from collections.abc import Callable, Iterable, Mapping
from typing import Annotated, Final, Literal

import msgspec

from controller.service.errors import RequestError
from controller.service.strict import needs
from controller.table.acts import By

CODE_CHARACTERS_MIN: Final = 6
CODE_CHARACTERS_MAX: Final = 128
"""More would only make the check slow."""
WRONG_MAX: Final = 5
"""So many wrong codes of one person in a row are somebody else's."""
WAIT_S: Final = 60.0
"""Five guesses a minute find one of a million codes in four months; each is in the log."""
_SALT_BYTES: Final = 16
_COST: Final = (1 << 14, 8, 1)
"""Scrypt's own advice for a log-in: 16 MiB and a twentieth of a second."""


class PersonConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One person who may enter diagnostic mode, or stand beside who does."""

    name: Annotated[
        str,
        needs(
            "a name of at most 32 letters, digits, dots, dashes and underscores",
            "As in `technician:NAME`.",
            pattern=r"^[A-Za-z0-9._-]{1,32}$",
        ),
    ]
    role: Annotated[Literal["technician", "supervisor", "dealer"], needs('"technician", "supervisor" or "dealer"', "What this person is.")]
    code: Annotated[
        str,
        needs(
            "what `shoed device code` prints",
            "The salted hash of the person's code; nobody can work the code out from it.",
            pattern=r"^scrypt:[0-9a-f]{32}:[0-9a-f]{64}$",
        ),
    ]


def hash_code(code: str, salt: bytes) -> str:
    """Return what the configuration holds of a code."""
    cost, block, parallel = _COST
    digest = hashlib.scrypt(code.encode(), salt=salt, n=cost, r=block, p=parallel, dklen=32)
    return f"scrypt:{salt.hex()}:{digest.hex()}"


def fits(stored: str, code: str) -> bool:
    """Whether a code is the one of a hash, told in the same time whatever it is."""
    salt = bytes.fromhex(stored.split(":")[1])
    return hmac.compare_digest(stored, hash_code(code, salt))


class Persons:
    """The persons of a configuration; lives on the daemon's loop."""

    def __init__(
        self,
        persons: Iterable[PersonConfig] = (),
        *,
        note_wrong: Callable[[By], None] = lambda _person: None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._codes: dict[tuple[str, str], str] = {(person.role, person.name): person.code for person in persons}
        self._note_wrong, self._clock = note_wrong, clock
        self._wrong: dict[tuple[str, str], tuple[int, float]] = {}

    @property
    def are_known(self) -> bool:
        """Whether anybody has to prove himself."""
        return bool(self._codes)

    async def prove(self, codes: Mapping[str, object], **persons: By | None) -> None:
        """Check that each person's code, under the same name in `codes`, is right; persons without a configuration are believed.

        Raises:
            RequestError: a code is missing or wrong, or there were too many wrong ones.
        """
        if not self.are_known:
            return
        for place, person in persons.items():
            if person is not None:
                await self._prove(person, codes.get(place), place)

    async def _prove(self, person: By, code: object, place: str) -> None:
        key = (person.role, person.name or "")
        wrong, last_s = self._wrong.get(key, (0, 0.0))
        if wrong >= WRONG_MAX and self._clock() - last_s < WAIT_S:
            what = f"Too many wrong codes were given for {person}."
            raise RequestError("code-wrong", what, f"Wait {WAIT_S:g} seconds, and find out who tried.", place, 403)
        if not isinstance(code, str) or not code:
            raise RequestError("code-wanted", f"{person} has to prove who that is.", "Send the person's code in `codes`.", place, 403)
        stored = self._codes.get(key)
        is_right = await asyncio.to_thread(fits, stored or hash_code("", bytes(_SALT_BYTES)), code[:CODE_CHARACTERS_MAX])
        if stored is None or not is_right:
            self._wrong[key] = (wrong % WRONG_MAX + 1, self._clock())
            self._note_wrong(person)
            raise RequestError("code-wrong", f"This is not the code of {person}.", "Give the right one; it is asked for anew.", place, 403)
        self._wrong.pop(key, None)


def take_codes(body: object) -> tuple[object, dict[str, object]]:
    """Return a request's body without its codes, and the codes."""
    if not isinstance(body, dict) or not isinstance(body.get("codes", {}), dict):
        return body, {}
    return {key: value for key, value in body.items() if key != "codes"}, body.get("codes", {})
