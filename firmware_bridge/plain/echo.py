"""One wire for both ways: the host hears its own words first, and they are taken out of what it hears.

What differs from its own words is another's: then the rest of them is not waited for. Words that the line has not given back when the
answer is overdue will not come any more, since the line was open or cut.
"""

from __future__ import annotations


class Echo:
    """The host's words that the line has still to give back. `expected` False: the line gives nothing back."""

    __slots__ = ("_expected", "_waiting")

    def __init__(self, *, expected: bool) -> None:
        self._expected = expected
        self._waiting = bytearray()

    def said(self, wire: bytes) -> None:
        """The host has said this."""
        if self._expected:
            self._waiting += wire

    def forget(self) -> None:
        """Nothing of it is waited for any more."""
        self._waiting.clear()

    def taken_out(self, chunk: bytes) -> bytes:
        """Return what others said."""
        size = min(len(chunk), len(self._waiting))
        if chunk[:size] != self._waiting[:size]:
            self._waiting.clear()
            return chunk
        del self._waiting[:size]
        return chunk[size:]
