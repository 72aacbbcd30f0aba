"""Hidden cards at rest: AES-256-GCM of one byte a card, under a key of this file only.

    file key = HKDF-SHA256( seal key, salt = file id, info = "shoed journal seal 1" )
    sealed   = attempt (4 random bytes) | AES-256-GCM( nonce = attempt | number (8 bytes, big-endian),
                                                       associated data = "file id|number|table" )

A number is given again when its transaction did not commit, and an older copy of the file may be taken back into use.
Its bytes could still lie on the disk, and two texts under one nonce would tell the cards of both. Therefore the nonce
carries the attempt besides the number: drawn anew when the file is opened and after each transaction that failed.

Knows cards as bytes only. The caller decides whether a card may be looked at.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

ATTEMPT_BYTES: Final = 4
TAG_BYTES: Final = 16
_INFO: Final = b"shoed journal seal 1"


class SealBrokenError(ValueError):
    """Sealed bytes that this key did not make for this record."""


class EntrySeal:
    """Seals and opens the hidden cards of one journal file."""

    __slots__ = ("_attempt", "_cipher", "_draw", "_file_id")

    def __init__(self, seal_key: bytes, file_id: str, draw: Callable[[int], bytes] = os.urandom) -> None:
        """Derive the file's key; `draw` gives random bytes, which must never repeat in service."""
        derived = HKDF(algorithm=SHA256(), length=32, salt=bytes.fromhex(file_id), info=_INFO).derive(seal_key)
        self._cipher = AESGCM(derived)
        self._file_id = file_id
        self._draw = draw
        self._attempt = draw(ATTEMPT_BYTES)

    def begin_attempt(self) -> None:
        """Draw a new attempt: to be called after a transaction that may have left bytes behind."""
        self._attempt = self._draw(ATTEMPT_BYTES)

    def seal_cards(self, cards: bytes, number: int, table: str) -> bytes:
        """Return the sealed bytes of the cards of record `number`; no cards give no bytes."""
        if not cards:
            return b""
        nonce = self._attempt + number.to_bytes(8, "big")
        return self._attempt + self._cipher.encrypt(nonce, cards, self._context(number, table))

    def open_cards(self, sealed: bytes, number: int, table: str) -> bytes:
        """Return the cards inside.

        Raises:
            SealBrokenError: when the bytes were altered, moved to another record, or sealed with another key.
        """
        if not sealed:
            return b""
        attempt = sealed[:ATTEMPT_BYTES]
        if len(sealed) < ATTEMPT_BYTES + TAG_BYTES:
            raise SealBrokenError(f"the sealed cards of record {number} are cut short")
        try:
            nonce = attempt + number.to_bytes(8, "big")
            return self._cipher.decrypt(nonce, sealed[ATTEMPT_BYTES:], self._context(number, table))
        except InvalidTag as error:
            raise SealBrokenError(f"the sealed cards of record {number} do not open with this key") from error

    def _context(self, number: int, table: str) -> bytes:
        return f"{self._file_id}|{number}|{table}".encode()
