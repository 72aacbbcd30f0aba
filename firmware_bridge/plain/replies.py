"""What the host says at once when it hears a message, such as the acknowledgement of a transaction.

A reply to an event waits until the event is durable; a device that says it again meanwhile is answered when that is so, on whatever
connection it then has. Other messages are answered at once.
"""

from __future__ import annotations

from typing import Final

from device_profiles.plain.messages import Plain
from firmware_bridge.plain.codec import PlainCodec
from firmware_bridge.plain.heard import PlainHeard

REPLIES_MAX: Final = 64
"""Replies that wait; no device has as many events under way."""


class Replies:
    """The replies to one device. `may_write` False: nothing is ever said."""

    __slots__ = ("_codec", "_may_write", "_waiting", "says_something")

    def __init__(self, codec: PlainCodec, *, may_write: bool) -> None:
        self._codec, self._may_write = codec, may_write
        self._waiting: dict[int, bytes] = {}
        self.says_something = may_write and any(message.reply_with is not None for message in codec.profile.messages)
        """Whether there is a message that is replied to at all."""

    def reply_to(self, heard: PlainHeard, eseq: int) -> bytes:
        """What is said at once; what waits for event `eseq` to be durable is kept."""
        wire = self._wire(heard)
        if wire and eseq:
            self._waiting[eseq] = wire
            while len(self._waiting) > REPLIES_MAX:
                self._waiting.pop(next(iter(self._waiting)))
            return b""
        return wire

    def durable(self, eseq: int) -> bytes:
        """Events up to this one are durable: what waited for them."""
        return b"".join(self._waiting.pop(number) for number in [number for number in self._waiting if number <= eseq])

    def again(self, heard: PlainHeard) -> bytes:
        """The device says again what it said before: its reply was lost, or its event is not durable yet."""
        wire = self._wire(heard)
        return b"" if wire in self._waiting.values() else wire

    def _wire(self, heard: PlainHeard) -> bytes:
        message = self._codec.by_name.get(heard.name)
        if message is None or message.reply_with is None or not self._may_write:
            return b""
        copied: dict[str, Plain] = {}
        for name in message.reply_copies:
            value = heard.fields.get(name)
            if isinstance(value, str | int | bool):
                copied[name] = value
        return self._codec.write(message.reply_with, copied)
