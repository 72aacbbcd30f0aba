"""A firmware update as a simulated device takes it (SDP/1 1.6, 60 to 63): signed, whole, and never an older version.

The image is its own witness: it begins with `SHOEDFW1` and three bytes of version, then whatever. The signature is Ed25519 over the SHA-256
of the image, so a wrong maker is found before the first block. Blocks come in order; one that came before may come again. Nothing of an
update outlives a loss of power until COMMIT has been answered.
"""

from __future__ import annotations

from hashlib import sha256
from typing import Final

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from firmware_bridge.events import Status

MAGIC: Final = b"SHOEDFW1"
IMAGE_MIN: Final = len(MAGIC) + 3
IMAGE_MAX: Final = 4 << 20
"""Programs of such controllers have a few hundred kilobytes."""


def make_image(version: str, content: bytes = b"") -> bytes:
    """Return an image of this version."""
    return MAGIC + bytes(map(int, version.split("."))) + content


def sign_image(image: bytes, key: Ed25519PrivateKey) -> bytes:
    """Return the maker's signature of an image."""
    return key.sign(sha256(image).digest())


class FirmwareStore:
    """The program of one device and the one that may follow it. `maker`: 32 bytes, the key that an update is signed for."""

    def __init__(self, version: str, maker: bytes | None) -> None:
        self.version = version
        self._maker = Ed25519PublicKey.from_public_bytes(maker) if maker is not None else None
        self._wanted: tuple[int, bytes] | None = None
        self._image = bytearray()

    @property
    def is_open(self) -> bool:
        """Whether an update has begun and not ended."""
        return self._wanted is not None

    def begin(self, size: int, digest: bytes, signature: bytes) -> Status:
        """Take FW_BEGIN."""
        if self._maker is None:
            return Status.NOT_SUPPORTED
        if self.is_open:
            return Status.WRONG_STATE
        if not IMAGE_MIN <= size <= IMAGE_MAX:
            return Status.OUT_OF_RANGE
        try:
            self._maker.verify(signature, digest)
        except InvalidSignature:
            return Status.INTEGRITY
        self._wanted = (size, digest)
        self._image.clear()
        return Status.OK

    def take_block(self, offset: int, content: bytes) -> Status:
        """Take FW_BLOCK."""
        if self._wanted is None:
            return Status.WRONG_STATE
        end = offset + len(content)
        if not content or end > self._wanted[0] or offset > len(self._image):
            return Status.OUT_OF_RANGE
        if end <= len(self._image):
            return Status.OK if self._image[offset:end] == content else Status.INTEGRITY
        if offset < len(self._image):
            return Status.OUT_OF_RANGE
        self._image += content
        return Status.OK

    def commit(self) -> Status:
        """Take FW_COMMIT; with OK the new program runs from the next start."""
        if self._wanted is None or len(self._image) != self._wanted[0]:
            return Status.WRONG_STATE
        image, digest = bytes(self._image), self._wanted[1]
        self.abort()
        version = image[len(MAGIC) : IMAGE_MIN]
        if sha256(image).digest() != digest or not image.startswith(MAGIC):
            return Status.INTEGRITY
        if version < bytes(map(int, self.version.split("."))):
            return Status.DENIED
        self.version = ".".join(map(str, version))
        return Status.OK

    def abort(self) -> Status:
        """Take FW_ABORT, or a loss of power."""
        was_open, self._wanted = self.is_open, None
        self._image.clear()
        return Status.OK if was_open else Status.WRONG_STATE
