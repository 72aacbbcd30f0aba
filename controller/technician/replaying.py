"""A capture given to the profile's session again, with no device and no port: what the device said, and whether the host says the same.

The session gets the device's bytes at their own times. What a host chooses (the token of a reset, nonces, numbers of commands, what its
owner asked and acknowledged) is taken from the capture, so a session that decides as the one that was recorded says the same messages.
Frames of the link alone (acknowledgements, heartbeats) hang on milliseconds and are not compared.
"""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest
from typing import Final

import msgspec

from controller.technician.errors import TechnicianError
from controller.technician.lines import Seen, reader_of
from controller.technician.reach import AnyCodec
from device_profiles.errors import FieldError
from device_profiles.plain.frames import Way
from firmware_bridge.capture.pcapng_file import Captured
from firmware_bridge.codec import Codec, CommandSpec
from firmware_bridge.commands import Request
from firmware_bridge.errors import BridgeError
from firmware_bridge.framing import CobsFramer, FrameFault
from firmware_bridge.link.frames import CTL_RST, RTX, SEC, FrameKind, kind_of
from firmware_bridge.link.limits import HEADER_SIZE
from firmware_bridge.link.line import Line
from firmware_bridge.plain.codec import PlainCodec
from firmware_bridge.plain.session import PlainSession
from firmware_bridge.plain.settings import PlainSettings
from firmware_bridge.seal import NONCE_SIZE, DeviceKey, Sealer, SessionKeys, Side
from firmware_bridge.session.handshake import HostSettings
from firmware_bridge.session.host import HostSession
from firmware_bridge.session.outputs import EventArrived, Fault, HostOutput, Identified, LinkLost, Running

TICKS_MAX: Final = 10_000
"""Between two records of a capture a session has something to do a few times a second; more is a pause of hours, which is cut short."""


class Replayed(msgspec.Struct, frozen=True, kw_only=True):
    """What came of it. `alike` of `said` messages were the same in capture and replay; None: they cannot be compared."""

    serial: str | None
    running: bool
    events: int
    faults: dict[str, int]
    losses: tuple[str, ...]
    said: int | None = None
    alike: int | None = None
    first_difference: str | None = None
    why_not_compared: str | None = None

    @property
    def is_alike(self) -> bool:
        """Whether nothing speaks against the same session."""
        return self.said == self.alike


def seen_in(records: Sequence[Captured], codec: AnyCodec) -> Iterator[Seen]:
    """Return the capture frame by frame, with its meaning."""
    reader = reader_of(codec, pauses=True)
    for record in records:
        yield from reader.read(record.way, record.content, record.at_s)


def replay(records: Sequence[Captured], codec: AnyCodec, key: DeviceKey | None = None) -> Replayed:
    """Give a capture to a new session.

    Raises:
        TechnicianError: the capture is empty.
    """
    if not records:
        raise TechnicianError("capture-empty", "The capture holds no record.", "Name a capture in which something was said.")
    if isinstance(codec, PlainCodec):
        return _replay_plain(records, codec)
    return _Sdp1Replay(records, codec, key).run()


def _replay_plain(records: Sequence[Captured], codec: PlainCodec) -> Replayed:
    session = PlainSession(codec, PlainSettings(line=Line.stream()))
    outputs = session.connection_made(records[0].at_s)
    for record in records:
        if record.way is Way.IN:
            while (due_s := session.next_deadline()) is not None and due_s <= record.at_s:
                outputs += session.tick(due_s)
            outputs += session.receive(record.content, record.at_s)
    return _summed(outputs, why_not_compared="a plain device's host answers when its owner has stored an event, which no capture tells")


class _Entropy:
    """The random choices that the capture's host made: the token of its first reset, then its nonces."""

    def __init__(self, token: int, nonces: list[bytes]) -> None:
        self._token, self._nonces = token, nonces

    def __call__(self, size: int) -> bytes:
        if size != NONCE_SIZE:
            return bytes([(self._token - 1) & 0xFF]) * size  # a link begins one after the byte that it is given
        return self._nonces.pop(0) if self._nonces else bytes(size)


class _Sdp1Replay:
    """One capture of SDP/1."""

    def __init__(self, records: Sequence[Captured], codec: Codec, key: DeviceKey | None) -> None:
        self._codec, self._key = codec, key
        framers = {way: CobsFramer(codec.profile.framing, pauses=True) for way in (Way.IN, Way.OUT)}
        self._cut = [(one, _whole(framers[one.way].feed(one.content, one.at_s))) for one in records]
        self._said: list[bytes] = []
        self._again: list[bytes] = []
        self._outputs: list[HostOutput] = []
        self._keys: SessionKeys | None = None
        self._opener: Sealer | None = None
        said = [frame for record, frames in self._cut if record.way is Way.OUT for frame in frames]
        self._resets = [frame[2] for frame in said if frame[0] == CTL_RST]
        told = [frame[HEADER_SIZE:] for frame in said if _is_new_message(frame) and not _is_sealed(frame)]
        self._commands = [found for message in told if (found := self._command(message)) is not None]
        self._sealed = any(_is_sealed(frame) for _, frames in self._cut for frame in frames)

    def run(self) -> Replayed:
        why = None
        if not self._resets:
            why = "the capture does not hold the host's reset"
        elif self._sealed and self._key is None:
            why = "its session is sealed: give the device's key"
        if why is not None:
            return _summed([], why_not_compared=why)
        nonces = [fields["host_nonce"] for spec, _, fields in self._commands if spec.name == "session_open"]
        entropy = _Entropy(self._resets[0], [nonce for nonce in nonces if isinstance(nonce, bytes)])
        self._feed(HostSession(self._codec, self._settings(), entropy))
        said = max(len(self._said), len(self._again))
        alike = next((at for at, pair in enumerate(zip_longest(self._said, self._again)) if pair[0] != pair[1]), said)
        difference = None if alike == said else f"message {alike + 1} of {said}"
        return _summed(self._outputs, said=said, alike=alike, first_difference=difference)

    def _feed(self, session: HostSession) -> None:
        is_open = False
        for record, frames in self._cut:
            if is_open:
                self._run_to(session, record.at_s)
                if record.way is Way.IN:
                    self._outputs += session.receive(record.content, record.at_s)
                    self._take(session)
            for frame in frames if record.way is Way.OUT else ():
                if frame[0] == CTL_RST and not is_open:
                    is_open = True
                    self._outputs += session.connection_made(record.at_s)
                elif _is_new_message(frame):
                    self._said.append(frame[HEADER_SIZE:])
                    self._ask_as_owner(session, frame, record.at_s)
                self._take(session)

    def _run_to(self, session: HostSession, at_s: float) -> None:
        for _ in range(TICKS_MAX):
            due_s = session.next_deadline()
            if due_s is None or due_s > at_s:
                return
            self._outputs += session.tick(due_s)
            self._take(session)

    def _ask_as_owner(self, session: HostSession, frame: bytes, at_s: float) -> None:
        """What the session has not said by itself, its owner asked or acknowledged: do it again. What cannot be is a difference."""
        message = self._opened(session, frame)
        if message is None or len(self._again) >= len(self._said):
            return
        command = self._command(message)
        with contextlib.suppress(FieldError, BridgeError):
            if command is not None and command[0].name == "session_close":
                self._outputs += session.close(at_s)
            elif command is not None:
                session.request(Request(command[0].name, command[2]), at_s)
            elif self._codec.read_header(message)[0] == self._codec.classes.event_ack:
                session.acknowledge(self._codec.read_event_ack(message), at_s)

    def _opened(self, session: HostSession, frame: bytes) -> bytes | None:
        """The host's message in a frame; a sealed one is opened with the keys of the session, as its device did."""
        if not frame[0] & SEC:
            return frame[HEADER_SIZE:]
        keys = session.session_keys
        if keys is None:
            return None
        if keys is not self._keys:
            self._keys, self._opener = keys, keys.sealer(Side.DEVICE)
        return None if self._opener is None else self._opener.maybe_open(frame[0], frame[1], frame[HEADER_SIZE:])

    def _take(self, session: HostSession) -> None:
        content = session.bytes_to_send()
        frames = _whole(CobsFramer(self._codec.profile.framing, pauses=True).feed(content, 0.0))
        self._again += [frame[HEADER_SIZE:] for frame in frames if _is_new_message(frame)]

    def _settings(self) -> HostSettings:
        first = {spec.name: fields for spec, _, fields in reversed(self._commands)}
        settings = HostSettings(line=Line.stream(), takes_events="event_resume" in first or self._sealed)
        if self._commands:
            settings = msgspec.structs.replace(settings, first_tid=self._commands[0][1])
        if "event_resume" in first:
            settings = msgspec.structs.replace(settings, first_wanted=first["event_resume"]["first_wanted"])
        if self._key is not None and "session_open" in first:
            role = first["session_open"]["role"]
            settings = msgspec.structs.replace(settings, device_key=self._key, expected_serial=self._serial(), role=role)
        return settings

    def _serial(self) -> str:
        """The serial number that the device told before its session was sealed."""
        spec = self._codec.command("identify")
        for record, frames in self._cut:
            for frame in frames if record.way is Way.IN else ():
                if _is_new_message(frame) and not _is_sealed(frame):
                    message_class, code, _ = self._codec.read_header(frame[HEADER_SIZE:])
                    if message_class == self._codec.classes.response and code == spec.message.code:
                        return str(self._codec.read_response(spec, frame[HEADER_SIZE:])[1].get("serial", ""))
        return ""

    def _command(self, message: bytes) -> tuple[CommandSpec, int, dict[str, object]] | None:
        try:
            message_class, code, tid = self._codec.read_header(message)
            spec = self._codec.command_by_code(code)
            if message_class != self._codec.classes.command or spec is None:
                return None
            return spec, tid, self._codec.read_command(spec, message)
        except FieldError:
            return None


def _whole(found: Iterable[bytes | FrameFault]) -> list[bytes]:
    return [frame for frame in found if isinstance(frame, bytes)]


def _is_new_message(frame: bytes) -> bool:
    return kind_of(frame) is FrameKind.DATA and not frame[0] & RTX


def _is_sealed(frame: bytes) -> bool:
    return kind_of(frame) is FrameKind.DATA and bool(frame[0] & SEC)


def _summed(
    outputs: list[HostOutput],
    *,
    said: int | None = None,
    alike: int | None = None,
    first_difference: str | None = None,
    why_not_compared: str | None = None,
) -> Replayed:
    faults: Counter[str] = Counter()
    for output in outputs:
        if isinstance(output, Fault):
            faults[output.kind.value] += output.count
    identified = [output.identity.serial for output in outputs if isinstance(output, Identified)]
    return Replayed(
        serial=identified[-1] if identified else None,
        running=any(isinstance(output, Running) for output in outputs),
        events=sum(isinstance(output, EventArrived) for output in outputs),
        faults=dict(faults),
        losses=tuple(f"{output.cause.value} {output.detail}".strip() for output in outputs if isinstance(output, LinkLost)),
        said=said,
        alike=alike,
        first_difference=first_difference,
        why_not_compared=why_not_compared,
    )
