"""Checks that the host can do alone: something is asked, as it should be or not, and the answer is judged."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Final

from controller.technician.checks.line import GAPS, CheckLine
from controller.technician.checks.outcome import Outcome, failed, not_run, passed
from controller.technician.checks.record import Entry
from device_profiles.errors import FieldError
from device_profiles.plain.check_kinds import Check, Kind, Needs
from device_profiles.plain.checks import ASKED_TIMES, POLLED_TIMES
from device_profiles.plain.frames import Way
from firmware_bridge.plain.asking import Question
from firmware_bridge.plain.framers import PlainFault, PlainFrame

SILENCE_S: Final = 1.0
"""After something broken, where the profile states no pause that ends a frame."""
SPOILED_S: Final = 2.0
"""So long an answer to a spoiled question is waited for: devices that answer later than that are slow in everything."""
UNDER_WAY_S: Final = 0.5
"""A card that was in the gate when the lock came is told within it; one such card is no fault."""
RUBBISH: Final = bytes((0xFF, 0x55, 0xAA, 0x13))
"""No beginning of a frame in any profile, and no whole frame."""

Run = Callable[[Check, CheckLine, str, float], Awaitable[Outcome]]


async def run_asked(check: Check, line: CheckLine) -> Outcome:
    """Run one check in which something is asked.

    Raises:
        TransportError: the port broke meanwhile.
    """
    run = RUNS[check.kind]
    name = check.question or ""
    message = line.messages[name]
    try:
        return await run(check, line, name, message.answer.within_s if message.answer is not None else SILENCE_S)
    except FieldError as error:
        return not_run(check, f"The profile does not say with which values it is asked: {error}.")


async def _split(check: Check, line: CheckLine, name: str, within_s: float) -> Outcome:
    place = len(line.record.entries)
    question = line.question(name)
    await line.say(question, [question.wire[at : at + 1] for at in range(len(question.wire))])
    return _judged(check, line, place, await line.answer(within_s))


async def _cut(check: Check, line: CheckLine, name: str, within_s: float) -> Outcome:
    wire = line.question(name).wire
    return await _after_rubbish(check, line, name, within_s, wire[: (len(wire) + 1) // 2])


async def _junk(check: Check, line: CheckLine, name: str, within_s: float) -> Outcome:
    return await _after_rubbish(check, line, name, within_s, RUBBISH)


async def _oversize(check: Check, line: CheckLine, name: str, within_s: float) -> Outcome:
    grammar = next(g for g in line.profile.framing.grammars if g.name == check.grammar)
    start = bytes.fromhex(getattr(grammar, "start", None) or "")
    return await _after_rubbish(check, line, name, within_s, start + b"U" * (grammar.max + 1))


async def _after_rubbish(check: Check, line: CheckLine, name: str, within_s: float, content: bytes) -> Outcome:
    place = len(line.record.entries)
    await line.rubbish(content)
    await line.silence(_pause_s(line))
    return _judged(check, line, place, await _asked_again(line, name, within_s))


async def _spoiled(check: Check, line: CheckLine, name: str, within_s: float) -> Outcome:
    place = len(line.record.entries)
    question = line.question(name)
    spoiled = maybe_spoiled(line, question.wire)
    if spoiled is None:
        return not_run(check, "No single bit of this question spoils its checksum alone.")
    await line.say(question, [spoiled])
    answer = await line.answer(min(within_s, SPOILED_S))
    if answer is not None and not line.is_refusal(question.message, answer[0]):
        return failed(check, line.record.since(place), why="The question with a wrong checksum is answered as if it was right.")
    await line.silence(_pause_s(line))
    return _judged(check, line, place, await _asked_again(line, name, within_s))


def maybe_spoiled(line: CheckLine, wire: bytes) -> bytes | None:
    """The wire with one bit turned so that nothing but its checksum is wrong; None where no bit does that."""
    for at in reversed(range(len(wire))):
        spoiled = bytes((*wire[:at], wire[at] ^ 0x01, *wire[at + 1 :]))
        framer = line.record.codec.framer(Way.OUT)
        found = [*framer.feed(spoiled, 0.0), *framer.expire(float("inf"))]
        if not any(isinstance(item, PlainFrame) for item in found) and any(
            not isinstance(item, PlainFrame) and item.fault is PlainFault.CHECKSUM for item in found
        ):
            return spoiled
    return None


async def _answered(check: Check, line: CheckLine, name: str, within_s: float) -> Outcome:
    place = len(line.record.entries)
    question = line.question(name)
    await line.say(question)
    answer = await line.answer(within_s)
    if answer is not None and line.is_refusal(question.message, answer[0]):
        return failed(check, line.record.since(place), why=f"It is refused by `{answer[0].message}`.")
    return _judged(check, line, place, answer)


async def _answer_time(check: Check, line: CheckLine, name: str, within_s: float) -> Outcome:
    place, slowest_s = len(line.record.entries), 0.0
    for _ in range(1 if check.needs is Needs.ACT else ASKED_TIMES):
        answer = await line.ask(name, 2 * within_s)  # one that comes late is measured, and not taken for that of the next
        if answer is None:
            return failed(check, line.record.since(place), why=f"No answer comes within {2 * within_s:g} s.")
        slowest_s = max(slowest_s, answer[1])
    judge = passed if slowest_s <= within_s else failed
    return judge(check, line.record.since(place), slowest_s)


async def _poll(check: Check, line: CheckLine, name: str, within_s: float) -> Outcome:
    place, slowest_s, every_s = len(line.record.entries), 0.0, check.limit_s or 0.0
    for _ in range(POLLED_TIMES):
        answer = await line.ask(name, within_s)
        if answer is None:
            return failed(check, line.record.since(place))
        slowest_s = max(slowest_s, answer[1])
        await line.silence(max(0.0, every_s - answer[1]))
    return passed(check, line.record.since(place), slowest_s)


async def _pause(check: Check, line: CheckLine, name: str, within_s: float) -> Outcome:
    place = len(line.record.entries)
    first = await line.ask(name, within_s)
    second = await line.ask(name, within_s)  # as soon as the pause allows it
    return _judged(check, line, place, second if first is not None else None)


async def _window(check: Check, line: CheckLine, name: str, within_s: float) -> Outcome:
    place, times = len(line.record.entries), line.profile.turns.window if line.profile.turns is not None else 1
    await line.ask(name, within_s)  # both ends have begun, if they had to
    judge = passed if await line.burst(name, times, within_s * times) else failed
    return judge(check, line.record.since(place))


async def _same_turn(check: Check, line: CheckLine, name: str, within_s: float) -> Outcome:
    place = len(line.record.entries)
    question = line.question(name)
    answers = [await _said(line, question, within_s) for _ in range(2)]
    first, second = answers
    if first is None or second is None:
        return failed(check, line.record.since(place), why="One of the two is not answered.")
    judge = passed if first.content == second.content else failed
    return judge(check, line.record.since(place))


async def _same_ring(check: Check, line: CheckLine, name: str, within_s: float) -> Outcome:
    place = len(line.record.entries)
    message = next(m for m in line.profile.messages if m.name == check.message)
    counter = message.ring.counter if message.ring is not None else ""
    for _ in range(POLLED_TIMES):
        answers = [await _said(line, line.question(name), within_s) for _ in range(2)]
        rings = [a for a in answers if a is not None and a.message == message.name and a.heard is not None]
        if len(rings) == 2 and _value(rings[0], counter) == _value(rings[1], counter):
            first, second = (ring.heard.ring for ring in rings if ring.heard is not None)
            return (passed if first == second else failed)(check, line.record.since(place))
    return not_run(check, f"No two answers with the same `{counter}` were heard: the device has too much to say, or none of it.")


async def _answer_lost(check: Check, line: CheckLine, name: str, within_s: float) -> Outcome:
    place = len(line.record.entries)
    question = line.question(name)
    first = await _said(line, question, within_s)
    again = await _said(line, question, within_s)
    if first is None or again is None:
        return failed(check, line.record.since(place))
    return passed(check, line.record.since(place))


async def _new_turns(check: Check, line: CheckLine, name: str, within_s: float) -> Outcome:
    place = len(line.record.entries)
    heard = [await line.ask(name, within_s) for _ in range(2)]
    line.asking.clear()
    heard += [await line.ask(name, within_s) for _ in range(2)]
    judge = passed if None not in heard else failed
    return judge(check, line.record.since(place))


async def _port_again(check: Check, line: CheckLine, name: str, within_s: float) -> Outcome:
    place = len(line.record.entries)
    await line.close()
    await line.open()
    line.asking.clear()
    return _judged(check, line, place, await _asked_again(line, name, within_s))


async def _locked(check: Check, line: CheckLine, name: str, within_s: float) -> Outcome:
    place, unlock, watched_s = len(line.record.entries), check.message or "", check.limit_s or 0.0
    line.question(unlock)  # what cannot be said would leave it locked
    answer = await line.ask(name, within_s)
    if answer is None or line.is_refusal(line.messages[name], answer[0]):
        return failed(check, line.record.since(place), why="The lock is refused, or not answered.")
    locked_at = len(line.record.entries)
    await line.listen(watched_s, polls=True)
    through = line.record.new_cards(locked_at)
    late = [entry for entry in through if entry.at_s > answer[0].at_s + UNDER_WAY_S]
    unlocked_at = len(line.record.entries)
    await line.ask(unlock, within_s)
    if late or len(through) > 1:
        return failed(check, line.record.evidence([answer[0], *through]), why=f"While it is locked, {len(through)} cards are told.")
    await line.listen(watched_s, polls=True)
    drawn = line.record.new_cards(unlocked_at)
    if not drawn:
        return not_run(check, "Nobody drew a card after the gate was unlocked: draw all the time while this is tried.")
    return passed(check, line.record.evidence([answer[0], *drawn]))


async def _asked_again(line: CheckLine, name: str, within_s: float) -> tuple[Entry, float] | None:
    """The answer to a question that is said once more when nothing answers it."""
    return await line.ask(name, within_s) or await line.ask(name, within_s)


async def _said(line: CheckLine, question: Question, within_s: float) -> Entry | None:
    await line.say(question)
    answer = await line.answer(within_s)
    return None if answer is None else answer[0]


def _judged(check: Check, line: CheckLine, place: int, answer: tuple[Entry, float] | None) -> Outcome:
    if answer is None:
        return failed(check, line.record.since(place))
    return passed(check, line.record.since(place), answer[1])


def _pause_s(line: CheckLine) -> float:
    gap_s = line.profile.framing.gap_s
    return SILENCE_S if gap_s is None else GAPS * gap_s


def _value(entry: Entry, field: str) -> object:
    return entry.heard.fields.get(field) if entry.heard is not None else None


RUNS: Final[dict[Kind, Run]] = {
    Kind.SPLIT: _split,
    Kind.CUT: _cut,
    Kind.JUNK: _junk,
    Kind.OVERSIZE: _oversize,
    Kind.SPOILED: _spoiled,
    Kind.ANSWERED: _answered,
    Kind.ANSWER_TIME: _answer_time,
    Kind.PAUSE: _pause,
    Kind.POLL: _poll,
    Kind.WINDOW: _window,
    Kind.SAME_TURN: _same_turn,
    Kind.SAME_RING: _same_ring,
    Kind.ANSWER_LOST: _answer_lost,
    Kind.NEW_TURNS: _new_turns,
    Kind.PORT_AGAIN: _port_again,
    Kind.LOCKED: _locked,
}
