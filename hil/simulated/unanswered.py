"""What a simulated device has said and its host has not replied to: it is said again, and the next thing waits for it. Pure.

For devices whose profile gives their messages a reply (`reply_with`): a HID shoe with its transactions, a shoe that sends blocks and gets a
byte for each. They say one thing at a time. A cable that is out loses nothing of it.
"""

from __future__ import annotations

from collections import deque
from typing import Final

from device_profiles.errors import FieldError
from device_profiles.plain.frames import Way
from device_profiles.plain.messages import PlainMessage
from firmware_bridge.plain.codec import PlainCodec
from firmware_bridge.plain.framers import PlainFrame
from firmware_bridge.plain.heard import PlainHeard

AGAIN_S: Final = 1.0
"""A host replies within a second (HID gaming devices); then the message counts as lost."""
WAITING_MAX: Final = 2_000
"""Cards and alarms of a whole shoe of twelve decks; what is said beyond that is lost, and its number shows it."""


class Unanswered:
    """See the module's text."""

    def __init__(self, codec: PlainCodec) -> None:
        self._codec = codec
        self._framer = codec.framer(Way.IN, pauses=True)
        self._replied = {message.name: message for message in codec.profile.messages if message.reply_with is not None}
        self._waiting: deque[tuple[PlainMessage, PlainHeard, bytes]] = deque(maxlen=WAITING_MAX)
        self._due_s: float | None = None
        self.repeats = 0
        """Messages that were said again."""

    def __len__(self) -> int:
        return len(self._waiting)

    def takes(self, wire: bytes) -> bool:
        """Take a message if the host has to reply to it; False when it is just said."""
        if not self._replied:
            return False
        heard = self._heard_in(wire)
        message = self._replied.get(heard.name) if heard is not None else None
        if heard is None or message is None:
            return False
        self._waiting.append((message, heard, wire))
        if len(self._waiting) == 1:
            self._due_s = 0.0
        return True

    def due(self, now_s: float) -> bytes:
        """Return what is to be said now, for the first time or again; empty when nothing is."""
        if self._due_s is None or now_s < self._due_s or not self._waiting:
            return b""
        self.repeats += self._due_s > 0
        self._due_s = now_s + AGAIN_S
        return self._waiting[0][2]

    def next_due_s(self) -> float | None:
        """When `due` has something to say."""
        return self._due_s if self._waiting else None

    def replied(self, reply: PlainHeard) -> None:
        """The host has said something: if it is the reply that is waited for, the next message is due."""
        if not self._waiting:
            return
        message, said, _wire = self._waiting[0]
        if reply.name == message.reply_with and all(reply.fields.get(name) == said.fields.get(name) for name in message.reply_copies):
            self._waiting.popleft()
            self._due_s = 0.0

    def hurry(self) -> None:
        """A host has come: it is told at once."""
        if self._due_s:
            self._due_s = 0.0

    def forget(self) -> None:
        """The power was gone."""
        self._waiting.clear()
        self._due_s = None

    def _heard_in(self, wire: bytes) -> PlainHeard | None:
        self._framer.reset()
        frames = [item for item in self._framer.feed(wire, 0.0) if isinstance(item, PlainFrame)]
        try:
            return self._codec.read(frames[0]) if len(frames) == 1 else None
        except FieldError:
            return None
