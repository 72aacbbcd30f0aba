"""Signed checkpoints: at record n the chain had hash h, signed with Ed25519.

Whoever can write the file can recompute a hash chain; without the signing key nobody can sign another past. A
checkpoint is

    message     one line of JSON: {"checkpoint":4,"file":file id,"number":n,"hash":h in hex,"wall_ms":...,
                "reason":"periodic","tails":{"T1":n1,...},"before":SHA-256 of the checkpoint before, in hex}
    signature   Ed25519 over "shoed journal checkpoint 1" | line feed | message

`before` = SHA-256(message | signature) of the checkpoint before it (64 zeros for the first), so that none can be
taken out of the middle. `tails` says where each table's last entry is. The first checkpoint of a file is at number 0:
a file without checkpoints is damaged. What no file can prove alone is that its own end was not cut off at an earlier
checkpoint: for that an anchor, a checkpoint kept elsewhere, is compared (EQ-87).

This file signs and verifies; when a checkpoint is due is decided in `store`.
"""

from __future__ import annotations

import enum
import hashlib
from typing import Final

import msgspec
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

_DOMAIN: Final = b"shoed journal checkpoint 1\n"
NO_CHECKPOINT: Final = "0" * 64


class CheckpointReason(enum.Enum):
    """Why a checkpoint was written."""

    CREATED = "created"
    PERIODIC = "periodic"
    ASKED = "asked"
    PROBE = "probe"
    CLOSED = "closed"


class Checkpoint(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The content of a checkpoint's message."""

    checkpoint: int
    file: str
    number: int
    hash: str
    wall_ms: int
    reason: CheckpointReason
    tails: dict[str, int]
    before: str


class SignedCheckpoint(msgspec.Struct, frozen=True):
    """A message exactly as stored, and its signature."""

    message: bytes
    signature: bytes

    def link(self) -> str:
        """Return what the next checkpoint names as `before`."""
        return hashlib.sha256(self.message + self.signature).hexdigest()


_DECODER: Final = msgspec.json.Decoder(Checkpoint)


def sign_checkpoint(checkpoint: Checkpoint, signing_key: Ed25519PrivateKey) -> SignedCheckpoint:
    """Return the checkpoint's message with its signature."""
    message = msgspec.json.encode(checkpoint)
    return SignedCheckpoint(message, signing_key.sign(_DOMAIN + message))


def open_checkpoint(signed: SignedCheckpoint, public_key: Ed25519PublicKey) -> Checkpoint:
    """Return the checkpoint of a message whose signature is right.

    Raises:
        ValueError: when the signature is wrong or the message is no checkpoint.
    """
    try:
        public_key.verify(signed.signature, _DOMAIN + signed.message)
    except InvalidSignature as error:
        raise ValueError("its signature is wrong") from error
    return _DECODER.decode(signed.message)


def decode_checkpoint(signed: SignedCheckpoint) -> Checkpoint:
    """Return the checkpoint of a stored message; its signature is not looked at.

    Raises:
        ValueError: when the message is no checkpoint.
    """
    return _DECODER.decode(signed.message)


def public_key_of(hex_digits: str) -> Ed25519PublicKey:
    """Return the public key of 64 hex digits.

    Raises:
        ValueError: when they are none.
    """
    return Ed25519PublicKey.from_public_bytes(bytes.fromhex(hex_digits))


class Anchor(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A checkpoint as it is kept outside: one line of JSON that stands alone."""

    anchor: str
    public_key: str
    message: str
    signature: str


_ANCHOR_FORMAT: Final = "shoed-journal-anchor-1"


def encode_anchor(signed: SignedCheckpoint, public_key: str) -> bytes:
    """Return the line that is given outside."""
    return msgspec.json.encode(Anchor(_ANCHOR_FORMAT, public_key, signed.message.decode(), signed.signature.hex()))


def open_anchor(line: bytes, public_key: Ed25519PublicKey) -> Checkpoint:
    """Return the checkpoint of an anchor, verified with the key that the caller trusts (not the one the line names).

    Raises:
        ValueError: when it is no anchor or not signed with this key.
    """
    anchor = msgspec.json.decode(line, type=Anchor)
    if anchor.anchor != _ANCHOR_FORMAT:
        raise ValueError("it is no anchor of a journal")
    return open_checkpoint(SignedCheckpoint(anchor.message.encode(), bytes.fromhex(anchor.signature)), public_key)
