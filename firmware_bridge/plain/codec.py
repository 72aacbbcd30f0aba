"""A plain profile that may be used: compiled, and its own vectors come out."""

from __future__ import annotations

from device_profiles.plain.profile import PlainProfile
from firmware_bridge.plain.compiled import CompiledProfile
from firmware_bridge.plain.vectors import verify_said, verify_vector


class PlainCodec(CompiledProfile):
    """The meaning of bytes, and the bytes of what is to be said, for all connections of one profile."""

    def __init__(self, profile: PlainProfile) -> None:
        """Compile `profile` and run its vectors.

        Raises:
            ProfileError: a name has no meaning, a checksum or pattern cannot be used, or a vector does not come out.
        """
        super().__init__(profile)
        for vector in profile.vectors:
            verify_vector(self, vector)
        verify_said(self)
