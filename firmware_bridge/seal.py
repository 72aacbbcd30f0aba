"""SDP/1 1.10: keys, proofs, sealing and attestation, all from `cryptography`; nothing is computed here.

The seal keeps the wire's order as well as its secrecy: each direction counts its frames from 1, a frame opens only
with the counter that is due, and a retransmission repeats the same sealed bytes. Keys and session keys have no text
form. Which side may seal when, and what a bad seal costs, is decided by the session.
"""

from __future__ import annotations

import hmac
import struct
from enum import Enum
from hashlib import sha256
from typing import Final, NoReturn

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESCCM
from cryptography.hazmat.primitives.ciphers.algorithms import AES
from cryptography.hazmat.primitives.cmac import CMAC
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from firmware_bridge.errors import MisuseError

KEY_SIZE: Final = 16  # SDP/1 1.10
NONCE_SIZE: Final = 16
PROOF_SIZE: Final = 16
TAG_SIZE: Final = 8
COUNTER_SIZE: Final = 4
SEAL_OVERHEAD: Final = COUNTER_SIZE + TAG_SIZE
FRAMES_MAX: Final = 2**24  # SDP/1 1.10: a new session before so many frames of one direction
_SESSION_NAME: Final = b"SDP/1 session"
_RTX: Final = 0x10
_COUNTER: Final = struct.Struct(">I")
_ATTESTED: Final = struct.Struct(">II")


class Side(Enum):
    """Who seals; the value is the direction byte of the nonce."""

    HOST = 1
    DEVICE = 2


class DeviceKey:
    """A device's own key for one role. Has no text form and is not pickled."""

    __slots__ = ("_key",)

    def __init__(self, key: bytes) -> None:
        if len(key) != KEY_SIZE:
            raise MisuseError(f"a device key has {KEY_SIZE} bytes, this one has {len(key)}")
        self._key = bytes(key)

    def __repr__(self) -> str:
        return "<device key>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DeviceKey) and hmac.compare_digest(other._key, self._key)

    __hash__ = None  # type: ignore[assignment]  # a hash in a log or a set order would tell of the key

    def __reduce__(self) -> NoReturn:
        raise TypeError("a device key is not pickled: the key store keeps it")

    @property
    def is_default(self) -> bool:
        """All zero: accepted only for KEY_SET."""
        return not any(self._key)

    def derive(self, host_nonce: bytes, device_nonce: bytes) -> SessionKeys:
        """Return the keys of the session of these two nonces."""
        kdf = HKDF(SHA256(), 4 * KEY_SIZE, salt=host_nonce + device_nonce, info=_SESSION_NAME)
        return SessionKeys(kdf.derive(self._key))

    def device_nonce(self, boot_count: int, number: int) -> bytes:
        """Return a nonce that never repeats, for a device without a source of randomness."""
        return _cmac(self._key, b"N" + _ATTESTED.pack(boot_count, number))


class SessionKeys:
    """The four keys of one session."""

    __slots__ = ("_attest", "_auth", "_device_to_host", "_host_to_device")

    def __init__(self, derived: bytes) -> None:
        """`derived` is the 64 bytes of HKDF."""
        keys = [derived[at : at + KEY_SIZE] for at in range(0, 4 * KEY_SIZE, KEY_SIZE)]
        self._host_to_device, self._device_to_host, self._auth, self._attest = keys

    def __repr__(self) -> str:
        return "<session keys>"

    def device_proof(self, role: int, host_nonce: bytes, device_nonce: bytes, serial: str) -> bytes:
        return _cmac(self._auth, b"D" + bytes((role,)) + host_nonce + device_nonce + serial.encode())

    def host_proof(self, role: int, host_nonce: bytes, device_nonce: bytes, serial: str) -> bytes:
        return _cmac(self._auth, b"H" + bytes((role,)) + device_nonce + host_nonce + serial.encode())

    def attestation(self, salt: bytes, offset: int, content: bytes) -> bytes:
        """Return the digest over one region of the image; `content` is that region.

        A device that keeps a copy of the certified image can answer for it while running another: this is evidence
        beside signed updates, locked debug ports and tamper events, never proof alone.
        """
        return hmac.digest(self._attest, b"ATTEST" + salt + _ATTESTED.pack(offset, len(content)) + content, sha256)

    def sealer(self, side: Side) -> Sealer:
        """Return the seal as `side` uses it: it seals its own direction and opens the other."""
        return Sealer(self._host_to_device, self._device_to_host, side)


class Sealer:
    """Seals what one side sends and opens what it receives, each with its own key and counter."""

    __slots__ = ("_mine", "_my_direction", "_opened", "_sealed", "_their_direction", "_theirs")

    def __init__(self, host_to_device: bytes, device_to_host: bytes, side: Side) -> None:
        other = Side.DEVICE if side is Side.HOST else Side.HOST
        keys = {Side.HOST: host_to_device, Side.DEVICE: device_to_host}
        self._mine, self._theirs = AESCCM(keys[side], TAG_SIZE), AESCCM(keys[other], TAG_SIZE)
        self._my_direction, self._their_direction = _direction(side), _direction(other)
        self._sealed = self._opened = 0

    def __repr__(self) -> str:
        return f"<sealer: {self._sealed} sealed, {self._opened} opened>"

    @property
    def frames(self) -> int:
        """The larger of both counters: what the limit of a session's frames is compared with."""
        return max(self._sealed, self._opened)

    def seal(self, ctl: int, addr: int, message: bytes) -> bytes:
        """Return the sealed body of the next frame.

        Raises:
            MisuseError: the session is used up; the owner renews it long before.
        """
        if self._sealed >= FRAMES_MAX:
            raise MisuseError("the session has sealed as many frames as it may")
        self._sealed += 1
        counter = _COUNTER.pack(self._sealed)
        associated = bytes((ctl & ~_RTX, addr)) + counter
        return counter + self._mine.encrypt(self._my_direction + counter, message, associated)

    def maybe_open(self, ctl: int, addr: int, body: bytes) -> bytes | None:
        """Return the message of the next frame, or None when the seal is bad or its counter is not the next one."""
        counter = body[:COUNTER_SIZE]
        if len(body) < SEAL_OVERHEAD or _COUNTER.unpack(counter)[0] != self._opened + 1:
            return None
        associated = bytes((ctl & ~_RTX, addr)) + counter
        try:
            message = self._theirs.decrypt(self._their_direction + counter, body[COUNTER_SIZE:], associated)
        except InvalidTag:
            return None
        self._opened += 1
        return message


def proofs_match(given: bytes, wanted: bytes) -> bool:
    """Compare two proofs or digests in constant time."""
    return hmac.compare_digest(given, wanted)


def _direction(side: Side) -> bytes:
    return bytes((side.value,)) + bytes(8)


def _cmac(key: bytes, content: bytes) -> bytes:
    mac = CMAC(AES(key))
    mac.update(content)
    return mac.finalize()
