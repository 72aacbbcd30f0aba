"""What `shoed device monitor`, `capture` and `replay` write: lines as they come, counters at the end."""

from __future__ import annotations

import time
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Final

import msgspec

from controller.cli.output import EXIT_GOOD, EXIT_NOT_IN_ORDER, write_json, write_line, write_note
from controller.technician.bench import LOOK, Bench
from controller.technician.diagnosis import AFTERWARDS, Diagnosis, diagnosing
from controller.technician.errors import TechnicianError
from controller.technician.filters import Filter, filter_of
from controller.technician.lines import Seen, reader_of
from controller.technician.reach import Reach, codec_of, settings_at
from controller.technician.recording import Recorder, open_capture, opened, write_frames
from controller.technician.replaying import Replayed, replay, seen_in
from device_profiles.plain.frames import Way
from firmware_bridge.capture.pcapng_file import read_capture
from firmware_bridge.link.faults import LossCause
from firmware_bridge.plain.codec import PlainCodec
from firmware_bridge.seal import DeviceKey
from firmware_bridge.session.outputs import HostOutput, LinkLost, LinkUp, Running

ROW_BYTES: Final = 16
_HEX_WIDTH: Final = ROW_BYTES * 3
_ARROWS: Final = {Way.IN: "<-", Way.OUT: "->"}
MONITOR_CAPTURE_BYTES: Final = 100 << 20
"""A day of a busy shoe; `capture --most-mb` takes more."""


NOTHING_SENSIBLE: Final = (
    "Nothing came that is a message of the profile: the line may be set otherwise (--search tries that), or it is another device."
)


class Watch(msgspec.Struct, frozen=True, kw_only=True):
    """What of a line is shown, for how long, and where it is kept."""

    seconds: float | None
    way: Way | None
    messages: tuple[str, ...]
    faults_only: bool
    capture: Path | None
    events: bool
    show_cards: bool
    as_json: bool


async def monitor_device(reach: Reach, diagnosis: Diagnosis | None, watch: Watch) -> None:
    """Show a line until the time is over; the port is opened even if nobody answers, so that noise can be seen."""
    if watch.events and watch.capture is None:
        raise TechnicianError(
            "wants-capture",
            "Asking for events acknowledges them, and nothing stores them here.",
            "Add --capture FILE: they are acknowledged when they are in it.",
        )
    bench = Bench(msgspec.structs.replace(reach, takes_events=watch.events))
    shown = filter_of(bench.codec, watch.way, watch.messages, faults_only=watch.faults_only)
    writer = LineWriter(bench, shown, show_cards=watch.show_cards, as_json=watch.as_json)
    async with AsyncExitStack() as stack:
        recorder = None
        if watch.capture is not None:
            recorder = _recorder(bench, watch.capture, MONITOR_CAPTURE_BYTES, events=watch.events)
            stack.callback(recorder.close)
        await opened(stack.enter_async_context(_Opened(bench, waits=diagnosis is not None)), recorder, watch.capture)
        if recorder is not None:
            stack.callback(recorder.close)  # before the port is closed: the last events are acknowledged
        if diagnosis is not None:
            await stack.enter_async_context(diagnosing(bench, diagnosis))
        if not watch.events and not watch.as_json and not isinstance(bench.codec, PlainCodec):
            write_line("Events are not asked for: that acknowledges them. --events --capture FILE stores them first.")
        try:
            await bench.listen(watch.seconds, None if recorder is None else recorder.full)
        finally:
            writer.sum_up()
    if diagnosis is not None and not watch.as_json:
        write_line(AFTERWARDS)


async def record_device(reach: Reach, file: Path, *, seconds: float | None, most_bytes: int, events: bool, as_json: bool) -> None:
    """Record a line until the time is over or the file has its size."""
    bench = Bench(msgspec.structs.replace(reach, takes_events=events))
    recorder = _recorder(bench, file, most_bytes, events=events)
    async with AsyncExitStack() as stack:
        stack.callback(recorder.close)
        await opened(stack.enter_async_context(_Opened(bench, waits=False)), recorder, file)
        stack.callback(recorder.close)  # before the port is closed: the last events are acknowledged
        await bench.listen(seconds, recorder.full)
    told = {"file": str(file), "records": recorder.records, "events_stored": recorder.stored, "full": recorder.full.done()}
    if as_json:
        write_json(told)
    else:
        full = " It has its full size." if recorder.full.done() else ""
        write_line(f"{file}: {recorder.records} records, {recorder.stored} events stored and acknowledged.{full}")


def replay_file(file: Path, profile: str, key: DeviceKey | None, *, shows_lines: bool, frames: Path | None, as_json: bool) -> int:
    """Replay a capture and tell what came of it; `frames` gets its frames, one a record, as the profile's dissector wants them."""
    codec = codec_of(profile)
    records = list(read_capture(file))
    if frames is not None:
        write_frames(frames, records, codec, profile)
    if shows_lines:
        for seen in seen_in(records, codec):
            write_seen(seen, as_json=as_json)
    replayed = replay(records, codec, key)
    if as_json:
        write_json(replayed)
    else:
        _tell_replayed(replayed)
    return EXIT_GOOD if replayed.is_alike else EXIT_NOT_IN_ORDER


def _tell_replayed(replayed: Replayed) -> None:
    if replayed.running:
        write_line(f"The device {replayed.serial or 'without a number'} came up and told {replayed.events} events.")
    for loss in replayed.losses:
        write_line(f"The link was lost: {loss}.")
    if replayed.faults:
        write_line(f"Damaged or wrong: {', '.join(f'{name} {count}' for name, count in replayed.faults.items())}.")
    if replayed.why_not_compared is not None:
        write_line(f"The host's side is not compared: {replayed.why_not_compared}.")
    elif replayed.is_alike:
        write_line(f"The host says the same again: {replayed.alike} of {replayed.said} messages.")
    else:
        write_line(f"The host does not say the same: {replayed.first_difference} differs.")


def write_seen(seen: Seen, *, as_json: bool) -> None:
    """Write one line of a monitor; long frames go on below, bytes on the left and nothing on the right."""
    if as_json:
        write_json(msgspec.to_builtins(seen))
        return
    clock = time.strftime("%H:%M:%S", time.localtime(seen.at_s)) + f".{int(seen.at_s % 1 * 1000):03d}"
    pairs = seen.hex.split(" ") if seen.hex else []
    rows = [" ".join(pairs[at : at + ROW_BYTES]) for at in range(0, len(pairs), ROW_BYTES)] or [""]
    write_line(f"{clock} {_ARROWS[seen.way]} {rows[0].ljust(_HEX_WIDTH)} {seen.message} {seen.meaning}".rstrip())
    for row in rows[1:]:
        write_line(f"{' ' * (len(clock) + 4)}{row}")


class LineWriter:
    """Writes the lines of a bench as they come, and its counters at the end."""

    def __init__(self, bench: Bench, shown: Filter, *, show_cards: bool, as_json: bool) -> None:
        self._bench, self._shown, self._as_json = bench, shown, as_json
        self._reader = reader_of(bench.codec, pauses=not bench.transport.is_uart, show_cards=show_cards)
        self._sensible = False
        """Whether the device said anything that its profile knows."""
        self._offset_s = time.time() - bench.clock()
        bench.ears.append(self._hear)
        bench.listeners.append(self._note)

    def _hear(self, way: Way, chunk: bytes, now_s: float) -> None:
        for seen in self._reader.read(way, chunk, now_s):
            self._sensible |= way is Way.IN and not seen.is_fault
            if self._shown.shows(seen):
                write_seen(msgspec.structs.replace(seen, at_s=seen.at_s + self._offset_s), as_json=self._as_json)

    def _note(self, output: HostOutput) -> None:
        match output:
            case LinkUp():
                self._tell("link-up", "the link is up")
            case Running():
                self._tell("running", "the device takes commands")
            case LinkLost(cause=LossCause.CLOSED):
                pass  # we ended it ourselves
            case LinkLost():
                self._tell("link-lost", f"the link is lost: {output.cause.value} {output.detail}".rstrip())
            case _:
                pass

    def _tell(self, what: str, words: str) -> None:
        if self._as_json:
            write_json({"note": what, "words": words})
        else:
            write_line(f"   -- {words}")

    def sum_up(self) -> None:
        """Write the counters."""
        line = self._bench.transport.counters
        told: dict[str, object] = {"bytes_in": line.bytes_in, "bytes_out": line.bytes_out, "losses": len(self._bench.losses)}
        counters = getattr(self._bench.session, "counters", None)
        if counters is not None:
            told |= {"frames_in": counters.frames_in, "frames_out": counters.frames_out, "retries": counters.retries}
        told |= {f"fault_{name}": count for name, count in self._bench.faults.items()}
        if self._as_json:
            write_json({"counters": told})
        else:
            write_line("   -- " + ", ".join(f"{name.replace('_', ' ')} {count}" for name, count in told.items()))
        if line.bytes_out and not line.bytes_in:
            write_note(f"Nothing came at all. {LOOK}; --search tries other rates.")
        elif line.bytes_in and not self._sensible and len(settings_at(self._bench.reach, self._bench.codec)) > 1:
            write_note(NOTHING_SENSIBLE)


class _Opened:
    """A bench whose port is open; it waits for the device only where something is asked of it."""

    def __init__(self, bench: Bench, *, waits: bool) -> None:
        self._bench, self._waits = bench, waits

    async def __aenter__(self) -> None:
        await (self._bench.open() if self._waits else self._bench.open_port())

    async def __aexit__(self, *_: object) -> None:
        await self._bench.close()


def _recorder(bench: Bench, file: Path, most_bytes: int, *, events: bool) -> Recorder:
    recorder = Recorder(bench, open_capture(file), most_bytes, wall_s=time.time(), clock_s=bench.clock())
    if events:
        recorder.keep_events()
    return recorder
