"""A line that is checked: questions are said as a check wants them, whole, in pieces or spoiled, and everything heard goes into the record.

It is no session: nothing is repeated by itself, and a device that does not answer is just not heard. What a session would take care of and
a device counts on is done here too: the running number of questions, the pause before them, the reply to what the device says, the poll.
One reply of each kind is held back, to see that the device says the message again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from controller.technician.checks.record import Entry, Record
from device_profiles.plain.messages import PlainMessage
from firmware_bridge.plain.asking import Asking, Question
from firmware_bridge.plain.echo import Echo
from firmware_bridge.plain.heard import PlainHeard
from firmware_bridge.plain.replies import Replies
from firmware_bridge.transport.base import Transport, TransportError

BYTE_PAUSE_S: Final = 0.002
"""Between the bytes of a question that comes in pieces; shorter than any pause that a profile may state as the end of a frame."""
GLANCE_S: Final = 60.0
"""Where no silence ends a frame, nothing happens while nothing comes."""
GAPS: Final = 2
"""So many of its pauses end a frame for certain."""
AGAIN_MAX_S: Final = 5.0
"""A device that has no reply says its message again within a second or two (HID gaming devices: 1 s)."""


@dataclass(slots=True)
class Withheld:
    """A message whose first reply was held back."""

    first: Entry
    again: Entry | None = None
    replied_s: float | None = None
    after: Entry | None = None
    """Heard once more although the reply was said."""


class CheckLine:
    """One line under check."""

    def __init__(self, transport: Transport, record: Record, clock: Callable[[], float], *, may_write: bool) -> None:
        self.record, self.clock = record, clock
        codec = record.codec
        self.profile = codec.profile
        self.asking = Asking(codec)
        self.withheld: dict[str, Withheld] = {}
        self.messages = codec.by_name
        self._replies = Replies(codec, may_write=may_write)
        self._transport = transport
        self._echo = Echo(expected=self.profile.framing.echo)
        self._news = asyncio.Event()
        self._broken: TransportError | None = None
        self._wanted: Callable[[PlainHeard], bool] | None = None
        self._answer: Entry | None = None
        self._is_burst = False
        self._last_s = 0.0
        gap_s = self.profile.framing.gap_s
        self._glance_s = GLANCE_S if gap_s is None or record.pauses else GAPS * gap_s
        """So often a begun frame after which nothing comes is looked at."""

    async def open(self) -> None:
        """Open the port.

        Raises:
            TransportError: it cannot be opened.
        """
        self._broken = None
        self._echo.forget()
        self.record.opened(self.clock())
        await self._transport.open(self._take, self._lose)

    async def close(self) -> None:
        """Free the port."""
        await self._transport.close()

    def question(self, name: str) -> Question:
        """The next question of this name, with its number, not said yet."""
        self.asking.out = None
        question = Question(self.messages[name])
        self.asking.put(question)
        self.asking.next(float("inf"))  # no pause here: `say` keeps it
        return question

    async def say(self, question: Question, pieces: Sequence[bytes] | None = None) -> None:
        """Say a question, in one piece or in several; the pause that the device needs is kept before it.

        Raises:
            TransportError: the port is broken.
        """
        self.asking.out = question
        self._answer, self._wanted = None, self.asking.is_answered_by
        await self._keep_pause()
        self.record.said(b"".join(pieces) if pieces is not None else question.wire, question.message.name, self.clock())
        await self._write(pieces if pieces is not None else [question.wire])

    async def rubbish(self, content: bytes) -> None:
        """Say bytes that are no message. Raises TransportError."""
        self._wanted = None
        await self._keep_pause()
        self.record.said(content, "rubbish", self.clock())
        await self._write([content])

    async def answer(self, within_s: float) -> tuple[Entry, float] | None:
        """The answer to what was said last, and how long it took; None when none comes in time.

        Raises:
            TransportError: the port broke meanwhile.
        """
        began_s = self.clock()
        await self._wait(lambda: self._answer is not None, within_s)
        entry, self._answer, self._wanted = self._answer, None, None
        self.asking.out = None
        return None if entry is None else (entry, max(0.0, entry.at_s - began_s))

    async def ask(self, name: str, within_s: float) -> tuple[Entry, float] | None:
        """Say a question and wait for its answer. Raises TransportError."""
        await self.say(self.question(name))
        return await self.answer(within_s)

    async def burst(self, name: str, times: int, within_s: float) -> bool:
        """Say a question so many times without waiting; whether each is answered under its own number. Raises TransportError."""
        self.asking.out = None
        wires = []
        for _ in range(times):
            self.asking.put(Question(self.messages[name]))
            if (wire := self.asking.next(float("inf"))) is not None:
                wires.append(wire)
        self._wanted, self._is_burst = None, True
        await self._keep_pause()
        for wire in wires:
            self.record.said(wire, name, self.clock())
        await self._write([b"".join(wires)])
        await self._wait(lambda: self.asking.out is None, within_s)
        self._is_burst, is_answered = False, len(wires) == times and self.asking.out is None
        self.asking.out = None
        return is_answered

    async def silence(self, seconds: float) -> None:
        """Say nothing for so long. Raises TransportError."""
        await self._wait(lambda: False, seconds)

    async def listen(self, seconds: float, *, polls: bool) -> None:
        """Hear what the device says for so long; a polled one is polled. Raises TransportError."""
        poll = self.profile.poll if polls else None
        self.record.listened_from_s = self.clock()
        until_s = self.clock() + seconds
        while (left_s := until_s - self.clock()) > 0:
            if poll is None:
                await self.silence(left_s)
                break
            answer = self.messages[poll.message].answer
            await self.ask(poll.message, min(left_s, answer.within_s if answer is not None else poll.every_s))
            await self.silence(max(0.0, min(poll.every_s, until_s - self.clock())))

    def is_refusal(self, question: PlainMessage, entry: Entry) -> bool:
        """Whether this answer refuses the question."""
        return question.answer is not None and entry.message in question.answer.refusals

    # ---- the port's side

    async def _keep_pause(self) -> None:
        pause_s = self.profile.line.pause_s
        while pause_s is not None and (left_s := self._last_s + pause_s - self.clock()) > 0:
            await self.silence(left_s)

    async def _write(self, pieces: Sequence[bytes]) -> None:
        for index, piece in enumerate(pieces):
            if index:
                await asyncio.sleep(BYTE_PAUSE_S)
            self._echo.said(piece)
            self._last_s = self.clock()
            await self._transport.write(piece)

    async def _wait(self, holds: Callable[[], bool], seconds: float) -> None:
        until_s = self.clock() + seconds
        while not holds() and (left_s := until_s - self.clock()) > 0:
            if self._broken is not None:
                raise self._broken
            self._news.clear()
            try:
                async with asyncio.timeout(min(left_s, self._glance_s)):
                    await self._news.wait()
            except TimeoutError:
                self._understand_all(self.record.heard(b"", self.clock()))

    def _take(self, chunk: bytes) -> None:
        heard = self._echo.taken_out(chunk)
        if not heard:
            return
        self._last_s = self.clock()
        self._understand_all(self.record.heard(heard, self._last_s))
        self._news.set()

    def _understand_all(self, entries: list[Entry]) -> None:
        for entry in entries:
            if entry.heard is not None:
                self._understand(entry, entry.heard)

    def _understand(self, entry: Entry, heard: PlainHeard) -> None:
        if self._is_burst:
            self.asking.answered(heard)
        if self._wanted is not None and self._answer is None and self._wanted(heard):
            self._answer = entry
        reply = self._replies.reply_to(heard, 0)
        if reply and not self._is_withheld(entry, heard):
            message = self.messages[heard.name]
            self.record.said(reply, message.reply_with or "", self.clock())
            self._echo.said(reply)
            try:
                self._transport.send(reply)
            except TransportError as error:
                self._lose(error)

    def _is_withheld(self, entry: Entry, heard: PlainHeard) -> bool:
        """The first of its kind gets no reply before it is said again; whatever else comes meanwhile has its reply at once."""
        held = self.withheld.get(heard.name)
        if held is None:
            self.withheld[heard.name] = Withheld(entry)
            return True
        if held.again is None and entry.content == held.first.content:
            held.again, held.replied_s = entry, entry.at_s
        elif held.again is None and entry.at_s - held.first.at_s > AGAIN_MAX_S:
            held.replied_s = entry.at_s
        elif held.replied_s is not None and entry.content == held.first.content and held.after is None:
            held.after = entry
        return False

    def _lose(self, error: TransportError) -> None:
        self._broken = error
        self._news.set()
