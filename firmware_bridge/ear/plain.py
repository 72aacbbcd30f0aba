"""An ear on what another host says to a plain device: the messages of its profile that go out."""

from __future__ import annotations

from device_profiles.errors import FieldError
from device_profiles.plain.frames import Way
from firmware_bridge.ear.base import Ear
from firmware_bridge.link.faults import FaultKind
from firmware_bridge.link.line import Line
from firmware_bridge.plain.codec import PlainCodec
from firmware_bridge.plain.framers import PlainFrame
from firmware_bridge.plain.standing import FAULT_KINDS
from firmware_bridge.round_events import HostAsked


class PlainHostEar(Ear):
    """The orders of another host by name; its polls are passed over."""

    def __init__(self, codec: PlainCodec, line: Line, first_wanted: int) -> None:
        super().__init__(first_wanted)
        self._codec = codec
        self._framer = codec.framer(Way.OUT, pauses=line.pauses)
        poll = codec.profile.poll
        self._passed_over = {*codec.profile.connect.said, *([poll.message] if poll is not None else [])}

    def _begin(self, now_s: float) -> None:
        self._framer.reset()

    def _hear(self, chunk: bytes, now_s: float) -> None:
        for found in self._framer.feed(chunk, now_s):
            if isinstance(found, PlainFrame):
                self._hear_frame(found)
            else:
                self._fault(FAULT_KINDS[found.fault])

    def _hear_frame(self, frame: PlainFrame) -> None:
        try:
            heard = self._codec.read(frame, way=Way.OUT)
        except FieldError:
            self._fault(FaultKind.BAD_MESSAGE)
            return
        if heard is not None and heard.name not in self._passed_over:
            self._tell_event(self._standing.number(HostAsked(0, 0, False, heard.name)))
