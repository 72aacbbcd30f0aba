"""The two secrets of a journal and the file that holds them.

The seal key encrypts hidden cards; the signing key signs checkpoints. Both live in one small JSON file of mode 0600,
which belongs on another disk than the journal: whoever takes the journal alone learns no hidden card and cannot sign
another past.

    {"format":"shoed-journal-keys-1","seal_key":"<64 hex digits>","signing_key":"<64 hex digits>"}

Keys have no text form here. Where the file lies is decided by the service.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import stat
from pathlib import Path
from typing import Final

import msgspec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from controller.journal.errors import JournalKeyError

_FORMAT: Final = "shoed-journal-keys-1"
KEY_BYTES: Final = 32
FILE_BYTES_MAX: Final = 4096
"""Twenty times the size of a key file: another file named by mistake is not read into memory."""


class _KeyFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    format: str
    seal_key: str
    signing_key: str

    def __repr__(self) -> str:
        return "<journal keys>"


class JournalKeys:
    """The secrets of a journal."""

    __slots__ = ("seal_key", "signing_key")

    def __init__(self, seal_key: bytes, signing_key: Ed25519PrivateKey) -> None:
        self.seal_key = seal_key
        self.signing_key = signing_key

    def __repr__(self) -> str:
        return "<journal keys>"

    @property
    def public_key_hex(self) -> str:
        """The public half of the signing key: what a verifier outside needs."""
        return public_key_hex(self.signing_key)

    @property
    def seal_key_id(self) -> str:
        """A name of the seal key that tells nothing of it."""
        return seal_key_id(self.seal_key)


def public_key_hex(signing_key: Ed25519PrivateKey) -> str:
    """Return the public half of a signing key as 64 hex digits."""
    return signing_key.public_key().public_bytes_raw().hex()


def seal_key_id(seal_key: bytes) -> str:
    """Return 16 hex digits that name a seal key: a random key of 256 bits cannot be guessed from them."""
    return hashlib.sha256(b"shoed journal seal key id 1|" + seal_key).hexdigest()[:16]


def create_keys(path: Path) -> JournalKeys:
    """Make new keys, write them to a new file of mode 0600 and return them.

    Raises:
        JournalKeyError: when the file exists already (keys are never overwritten) or cannot be written.
    """
    keys = JournalKeys(secrets.token_bytes(KEY_BYTES), Ed25519PrivateKey.generate())
    content = msgspec.json.encode(_KeyFile(_FORMAT, keys.seal_key.hex(), keys.signing_key.private_bytes_raw().hex()))
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    except FileExistsError as error:
        raise JournalKeyError(f"The key file {path} exists already and is not overwritten.", "Use it, or name another file.") from error
    except OSError as error:
        raise JournalKeyError(
            f"The key file {path} cannot be written: {error.strerror}.", "Name a folder that exists and is yours."
        ) from error
    with os.fdopen(handle, "wb") as file:
        file.write(content + b"\n")
        file.flush()
        os.fsync(file.fileno())
    return keys


def load_keys(path: Path) -> JournalKeys:
    """Return the keys of a file.

    Raises:
        JournalKeyError: when it is missing, not permitted, readable by others, or no key file.
    """
    try:
        with path.open("rb") as file:
            mode = stat.S_IMODE(os.fstat(file.fileno()).st_mode)
            content = file.read(FILE_BYTES_MAX)
    except OSError as error:
        raise JournalKeyError(
            f"The key file {path} cannot be read: {error.strerror}.",
            "Name the key file of this journal; `shoed journal keys FILE` makes a new one for a new journal.",
        ) from error
    if mode & 0o077:
        raise JournalKeyError(f"The key file {path} may be read by others (mode {mode:04o}).", f"Run `chmod 600 {path}` and start again.")
    try:
        stored = msgspec.json.decode(content, type=_KeyFile)
        seal_key, signing_key = bytes.fromhex(stored.seal_key), bytes.fromhex(stored.signing_key)
    except ValueError as error:
        raise JournalKeyError(f"The file {path} is no key file of a journal.", "Name the right file.") from error
    if stored.format != _FORMAT or len(seal_key) != KEY_BYTES or len(signing_key) != KEY_BYTES:
        raise JournalKeyError(f"The file {path} is no key file of a journal.", "Name the right file.")
    return JournalKeys(seal_key, Ed25519PrivateKey.from_private_bytes(signing_key))
