"""A line measured: questions asked one after another, how long each answer took, what was damaged on the way, and a verdict.

A device of SDP/1 gets bytes that it must send back (ECHO), and its own counters tell what was damaged on the way to it. A plain device is
asked what its profile asks anyway; one that cannot be asked is listened to.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from itertools import pairwise
from typing import Final

import msgspec

from controller.technician.bench import Bench
from controller.technician.errors import DeviceNotInOrderError
from firmware_bridge.commands import Request
from firmware_bridge.events import Status
from firmware_bridge.plain.codec import PlainCodec
from firmware_bridge.session.outputs import CommandAnswered

BAD_PER_MILLE: Final = 10
"""One damaged frame in a hundred costs a retry every few rounds; SDP/1 devices are certified with none in a million (EQ-56)."""
SLOW_MS: Final = 250.0
"""Past this a card's alarm can come after the next card (EQ-46)."""
FAILURES_MAX: Final = 3
"""So many questions in a row without an answer: nobody is there, and asking on tells nothing new."""
BACK_S: Final = 5.0
"""A device that lost the link is asked again after 1 and 2 s (SDP/1 1.8)."""
LISTEN_S: Final = 5.0

_DEVICE_COUNTERS: Final = ("cobs_errors", "crc_errors", "oversize_errors", "other_errors")
_WRAP: Final = 1 << 16


class Verdict(Enum):
    GOOD = "good"
    WEAK = "weak"
    """It works, and something was damaged or late."""
    BAD = "bad"


class LineMeasured(msgspec.Struct, frozen=True, kw_only=True):
    """What was measured. Times are milliseconds, None without an answer."""

    tries: int
    answered: int
    p50_ms: float | None
    p99_ms: float | None
    max_ms: float | None
    jitter_ms: float | None
    """Mean difference between one round trip and the next."""
    frames: int
    damaged_here: int
    damaged_there: int
    """Heard damaged by the device, as far as it tells."""
    retries: int
    losses: int
    verdict: Verdict
    sentence: str


async def measure_line(bench: Bench, tries: int, size: int, step: Callable[[], None]) -> LineMeasured:
    """Ask `tries` times; `step` is called after each."""
    question = _question(bench)
    if question is None:
        return await _listen(bench, step)
    before = await _told_by_device(bench)
    times_ms: list[float] = []
    failures = asked = 0
    for number in range(tries):
        asked += 1
        fields = {"content": bytes((number * 7 + at * 31) & 0xFF for at in range(size))} if question == "echo" else {}
        began_s = bench.clock()
        if await _is_answered(bench, Request(question, fields)):
            times_ms.append((bench.clock() - began_s) * 1000)
            failures = 0
        else:
            failures += 1
            if failures >= FAILURES_MAX:
                break
            await bench.back(BACK_S)
        step()
    after = await _told_by_device(bench) if failures < FAILURES_MAX else before
    there = sum((late - early) % _WRAP for early, late in zip(before, after, strict=True))
    return _measured(bench, asked, times_ms, there)


def _question(bench: Bench) -> str | None:
    if not isinstance(bench.codec, PlainCodec):
        return "echo"
    profile = bench.codec.profile
    if not bench.reach.may_write and profile.line.read_only:
        return None
    if profile.poll is not None:
        return profile.poll.message
    answered = {message.name for message in profile.messages if message.answer is not None}
    return next((name for name in profile.connect.said if name in answered), None)


async def _is_answered(bench: Bench, request: Request) -> bool:
    try:
        answer = await bench.command(request)
    except DeviceNotInOrderError:
        return False
    if not isinstance(answer, CommandAnswered):
        return False
    wanted = request.fields.get("content")
    return answer.status is Status.OK and (wanted is None or answer.fields.get("content") == wanted)


async def _told_by_device(bench: Bench) -> list[int]:
    if isinstance(bench.codec, PlainCodec):
        return [0]
    try:
        fields = (await bench.ask("status")).fields
    except DeviceNotInOrderError:
        return [0] * len(_DEVICE_COUNTERS)
    return [int(str(fields[name])) for name in _DEVICE_COUNTERS]


async def _listen(bench: Bench, step: Callable[[], None]) -> LineMeasured:
    """Measure a device that cannot be asked by what it says."""
    await bench.listen(LISTEN_S)
    step()
    return _measured(bench, 0, [], 0)


def _measured(bench: Bench, asked: int, times_ms: list[float], there: int) -> LineMeasured:
    ordered = sorted(times_ms)
    counters = getattr(bench.session, "counters", None)
    here = sum(bench.faults.values())
    frames = bench.transport.counters.reads if counters is None else counters.frames_in + counters.frames_out
    retries = 0 if counters is None else counters.retries
    losses = len(bench.losses)
    p99_ms = _at(ordered, 0.99)
    verdict, sentence = _judge(asked - len(ordered), losses, (here + there + retries, frames), p99_ms, asked)
    return LineMeasured(
        tries=asked, answered=len(ordered), p50_ms=_at(ordered, 0.5), p99_ms=p99_ms, max_ms=_at(ordered, 1.0),
        jitter_ms=round(sum(abs(a - b) for a, b in pairwise(times_ms)) / (len(times_ms) - 1), 2) if len(times_ms) > 1 else None,
        frames=frames, damaged_here=here, damaged_there=there, retries=retries, losses=losses, verdict=verdict, sentence=sentence,
    )  # fmt: skip


def _judge(unanswered: int, losses: int, damage: tuple[int, int], p99_ms: float | None, asked: int) -> tuple[Verdict, str]:
    damaged, frames = damage
    look = "look at the plugs, the cable's length, its shield and its neighbours"
    if not asked and not frames and not damaged:
        return Verdict.BAD, f"Nothing was heard in {LISTEN_S:g} s, so nothing is known of the line: let the device say something meanwhile."
    if losses:
        return Verdict.BAD, f"The line is bad: the link was lost {_times(losses)}; {look}."
    if unanswered:
        return Verdict.BAD, f"The line is bad: {unanswered} of {asked} questions had no answer; {look}."
    if not asked and damaged >= frames > 0:
        what = f"Nothing of what came is a message of the profile ({damaged} damaged)"
        return Verdict.BAD, f"{what}: the line may be set otherwise (--search tries that), or it is another device."
    if damaged * 1000 > frames * BAD_PER_MILLE:
        return Verdict.BAD, f"The line is bad: {damaged} of {frames} frames were damaged or said again; {look}."
    if p99_ms is not None and p99_ms > SLOW_MS:
        return Verdict.BAD, f"The line is too slow: one answer in a hundred takes {p99_ms:g} ms or longer; {look}."
    if damaged:
        return Verdict.WEAK, f"The line works, and {damaged} of {frames} frames were damaged or said again: test it longer."
    if not asked:
        return Verdict.GOOD, f"{frames} reads and nothing damaged; such a device cannot be asked, so nothing more is known."
    return Verdict.GOOD, f"The line is good: {asked} of {asked} answers, none damaged."


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"


def _at(ordered: list[float], share: float) -> float | None:
    return round(ordered[min(len(ordered) - 1, int(share * len(ordered)))], 2) if ordered else None
