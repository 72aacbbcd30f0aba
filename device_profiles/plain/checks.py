"""The conformance checks that follow from a plain device's profile: a pure function of the profile, in the order in which they are run.

Every frame, checksum, message, time limit and error code that the profile states becomes a check of its own, and so do the mishaps that it
says to survive: what is said twice, what is lost, a restart, an unplugged cable. Nothing is checked that the profile does not promise.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from device_profiles.plain.check_kinds import Check, Kind, Needs
from device_profiles.plain.describe import condition_words
from device_profiles.plain.frames import Grammar, Reports, Unframed, Way
from device_profiles.plain.messages import Means, PlainField, PlainMessage
from device_profiles.plain.profile import PlainProfile

ASKED_TIMES: Final = 5
"""Answers that are timed for one limit: enough to see one that is late now and then, few enough for a technician's patience."""
POLLED_TIMES: Final = 10
LOCKED_S: Final = 3.0
"""A hand tries several times within it; a card that was under way comes before its answer."""
ERROR_EVENT: Final = "ErrorRaised"


def checks_of(profile: PlainProfile) -> tuple[Check, ...]:
    """The named checks of a profile."""
    sections = (_connecting, _framing, _checksums, _messages, _limits, _errors, _gate, _duplicates, _losses, _restarts, _plugs)
    return tuple(check for section in sections for check in section(profile))


def questions_of(profile: PlainProfile) -> dict[str, PlainMessage]:
    """The messages with an answer that change nothing: the poll, what is said on connecting, and what only asks."""
    said = {*profile.connect.said, *([profile.poll.message] if profile.poll is not None else [])}
    return {m.name: m for m in profile.messages if m.answer is not None and (m.asks_only or m.name in said)}


def _first_question(profile: PlainProfile) -> PlainMessage | None:
    return next(iter(questions_of(profile).values()), None)


def _needs(profile: PlainProfile, message: PlainMessage) -> Needs:
    return Needs.HOST if message.name in questions_of(profile) else Needs.ACT


def _hosts(profile: PlainProfile) -> list[PlainMessage]:
    return [m for m in profile.messages if m.way is not Way.IN]


def _heard(profile: PlainProfile) -> list[PlainMessage]:
    return [m for m in profile.messages if m.way is not Way.OUT]


def _grammars(profile: PlainProfile, way: Way) -> list[Grammar]:
    return [g for g in profile.framing.grammars if g.way in (way, Way.BOTH)]


def _asked_in(profile: PlainProfile, grammar: Grammar) -> PlainMessage | None:
    """What is asked to try a kind of frame: something that changes nothing, else something that does."""
    asked = [m for m in _hosts(profile) if m.answer is not None and m.grammar == grammar.name]
    return min(asked, key=lambda m: _needs(profile, m) is Needs.ACT, default=None)


def _answers(profile: PlainProfile) -> set[str]:
    """What is heard when the host asks what changes nothing: the usual answer to each question."""
    return {m.answer.messages[0] for m in questions_of(profile).values() if m.answer is not None}


def _within(message: PlainMessage) -> float | None:
    return message.answer.within_s if message.answer is not None else None


def _connecting(profile: PlainProfile) -> Iterator[Check]:
    if not profile.connect.said:
        return
    said = ", ".join(profile.connect.said)
    yield Check(
        name="connect/sequence", kind=Kind.CONNECT, needs=Needs.HOST, does=f"The port is opened, and {said} is said.",
        passes="The connection comes about.", fails="One is refused, or not answered in time.",
    )  # fmt: skip
    for state in profile.connect.states:
        for number, branch in enumerate(state.on, 1):
            what = f"`{branch.message}`" + (f" {condition_words(branch.where)}" if branch.where else "")
            yield Check(
                name=f"connect/{state.name}/{number}-{branch.message}", kind=Kind.SEEN, needs=Needs.PERSON,
                does=f"Somebody brings about that the device says {what} while the connection is in state {state.name}.",
                passes=f"The connection goes on to {branch.next}.", fails="It does not.", message=branch.message, question=state.say,
            )  # fmt: skip
    for word, field in profile.connect.identity.items():
        yield Check(
            name=f"connect/identity/{word}", kind=Kind.IDENTITY, needs=Needs.HOST, does=f"What the device says as `{field}` is read.",
            passes=f"The device tells its {word}.", fails=f"It is asked and tells no {word}.", field=word,
        )  # fmt: skip


def _framing(profile: PlainProfile) -> Iterator[Check]:
    alarm = ", or of no frame at all" if profile.framing.unframed is Unframed.ALARM else ""
    yield Check(
        name="framing/whole", kind=Kind.WHOLE, needs=Needs.PERSON, does="Everything that the device says is heard.",
        passes="Every frame is whole.", fails=f"There are bytes of a frame that is cut or too long{alarm}.",
    )  # fmt: skip
    told = {m.grammar for m in _heard(profile) if m.name in _answers(profile)}
    for grammar in _grammars(profile, Way.IN):
        yield Check(
            name=f"framing/{grammar.name}/heard", kind=Kind.GRAMMAR_HEARD, needs=Needs.HOST if grammar.name in told else Needs.PERSON,
            does=f"A frame `{grammar.name}` is waited for.", passes=f"One is heard, of at most {grammar.max} bytes.",
            fails="The host asks for one, and none comes.", grammar=grammar.name,
        )  # fmt: skip
    for grammar in _grammars(profile, Way.OUT):
        asked = _asked_in(profile, grammar)
        if asked is None or isinstance(grammar, Reports):  # a report comes whole or not at all
            continue
        for kind, does, longest in (
            (Kind.SPLIT, "is said byte by byte", 1),
            (Kind.CUT, "is said after the first half of itself and a silence", 2),
            (Kind.JUNK, "is said after bytes that are no frame", 2),
            (Kind.OVERSIZE, f"is said after a frame that is longer than {grammar.max} bytes", 2),
        ):
            yield Check(
                name=f"framing/{grammar.name}/{kind.value}", kind=kind, needs=_needs(profile, asked), does=f"`{asked.name}` {does}.",
                passes=f"It is answered{' at the latest when it is said again' if longest > 1 else ''}.", fails="It is not answered.",
                limit_s=_within(asked), question=asked.name, grammar=grammar.name,
            )  # fmt: skip


def _checksums(profile: PlainProfile) -> Iterator[Check]:
    heard = [g.name for g in _grammars(profile, Way.IN) if g.integrity is not None]
    if heard:
        yield Check(
            name="checksum/heard", kind=Kind.CHECKSUMS, needs=Needs.PERSON,
            does=f"The checksum of every frame {', '.join(heard)} is worked out.",
            passes="Each is right.", fails="One is wrong.",
        )  # fmt: skip
    for grammar in _grammars(profile, Way.OUT):
        asked = _asked_in(profile, grammar)
        if grammar.integrity is not None and asked is not None:
            yield Check(
                name=f"checksum/{grammar.name}/refused", kind=Kind.SPOILED, needs=_needs(profile, asked),
                does=f"`{asked.name}` is said with one bit wrong, then without.",
                passes="The first is not answered, or refused; the second is answered.",
                fails="The wrong one is answered, or the right one is not.",
                limit_s=_within(asked), question=asked.name, grammar=grammar.name,
            )  # fmt: skip


def _messages(profile: PlainProfile) -> Iterator[Check]:
    answers = _answers(profile)
    yield Check(
        name="message/known", kind=Kind.KNOWN, needs=Needs.PERSON, does="Every whole frame is read.",
        passes="Each is a message of the profile.", fails="One is none, or a field of it cannot be read.",
    )  # fmt: skip
    for message in _heard(profile):
        yield Check(
            name=f"message/{message.name}", kind=Kind.HEARD, needs=Needs.HOST if message.name in answers else Needs.PERSON,
            does=f"`{message.name}` is waited for.", passes="It is heard, and every field of it can be read.",
            fails="The host asks for it, and it does not come.", message=message.name,
        )  # fmt: skip
    for message in profile.messages:
        if message.way is Way.IN:
            continue
        name = f"message/{message.name}" if message.way is Way.OUT else f"message/{message.name}/said"
        if message.answer is None:
            yield Check(
                name=name, kind=Kind.SEEN, needs=Needs.PERSON, does=f"`{message.name}` is said.",
                passes="Somebody at the device sees that it does so.", fails="It does not: nothing on the line tells.",
                question=message.name,
            )  # fmt: skip
            continue
        yield Check(
            name=name, kind=Kind.ANSWERED, needs=_needs(profile, message), does=f"`{message.name}` is said.",
            passes=f"One of {', '.join(message.answer.messages)} answers it.", fails="It is refused, or not answered.",
            limit_s=message.answer.within_s, question=message.name,
        )  # fmt: skip


def _limits(profile: PlainProfile) -> Iterator[Check]:
    for message in _hosts(profile):
        if message.answer is not None:
            needs = _needs(profile, message)
            times = f"{ASKED_TIMES} times" if needs is Needs.HOST else "once"
            yield Check(
                name=f"limit/{message.name}/answer", kind=Kind.ANSWER_TIME, needs=needs, does=f"`{message.name}` is said {times}.",
                passes=f"Each answer begins within {message.answer.within_s:g} s.", fails="One comes later.",
                limit_s=message.answer.within_s, question=message.name,
            )  # fmt: skip
    asked = _first_question(profile)
    if profile.line.pause_s is not None and asked is not None:
        yield Check(
            name="limit/pause", kind=Kind.PAUSE, needs=Needs.HOST, does=f"`{asked.name}` is said as soon as the pause is over.",
            passes=f"It is answered after a pause of {profile.line.pause_s:g} s.", fails="It is not.", limit_s=profile.line.pause_s,
            question=asked.name,
        )  # fmt: skip
    if profile.turns is not None and profile.turns.window > 1 and asked is not None:
        yield Check(
            name="limit/window", kind=Kind.WINDOW, needs=Needs.HOST,
            does=f"`{asked.name}` is said {profile.turns.window} times without waiting.",
            passes="Each is answered under its own number.", fails="One is not.", limit_s=_within(asked), question=asked.name,
        )  # fmt: skip
    if profile.framing.gap_s is not None:
        yield Check(
            name="limit/gap", kind=Kind.GAP, needs=Needs.PERSON, does="The pauses inside of frames are measured.",
            passes=f"None is longer than {profile.framing.gap_s:g} s.", fails="A frame is broken off by a longer one.",
            limit_s=profile.framing.gap_s,
        )  # fmt: skip
    if profile.poll is not None:
        yield Check(
            name="limit/poll", kind=Kind.POLL, needs=Needs.HOST,
            does=f"`{profile.poll.message}` is said {POLLED_TIMES} times, every {profile.poll.every_s:g} s.",
            passes="Each is answered before the next is due, or within its own limit.", fails="One is not.",
            limit_s=profile.poll.every_s, question=profile.poll.message,
        )  # fmt: skip
    if profile.quiet.lost_after_s is not None:
        yield Check(
            name="limit/silence", kind=Kind.SILENCE, needs=Needs.HOST, does="The time between two frames is measured.",
            passes=f"The device is never silent for {profile.quiet.lost_after_s:g} s.", fails="It is silent for longer.",
            limit_s=profile.quiet.lost_after_s,
        )  # fmt: skip


def _errors(profile: PlainProfile) -> Iterator[Check]:
    for message in _heard(profile):
        entries = (*(message.ring.entries if message.ring else ()), *(message.group.entries if message.group else ()))
        yield from _told_errors(profile, f"error/{message.name}", message.name, message.means, message.fields)
        for entry in entries:
            yield from _told_errors(profile, f"error/{message.name}/{entry.name}", entry.name, entry.means, entry.fields)
        if message.status is not None:
            for value, status in message.status.values.items():
                yield _told(f"refusal/{message.name}/{value}", message.name, message.status.field, value, f"a refusal as `{status}`")


def _told_errors(profile: PlainProfile, name: str, message: str, means: Means | None, fields: tuple[PlainField, ...]) -> Iterator[Check]:
    if means is None or means.event != ERROR_EVENT:
        return
    field = next((f for f in fields if f.name == means.map.get("error")), None)
    if field is None or field.names is None:
        yield _told(name, message, None, None, f"the error `{means.set.get('error', 'of any kind')}`")
        return
    for value in profile.names[field.names].values:
        yield _told(f"{name}/{value}", message, field.name, value, f"the error `{value}`")


def _told(name: str, message: str, field: str | None, value: str | None, what: str) -> Check:
    return Check(
        name=name, kind=Kind.VALUE_TOLD, needs=Needs.PERSON, does=f"Somebody brings about {what}.",
        passes=f"`{message}` tells it.", fails="It is brought about, and nothing tells it.", message=message, field=field, value=value,
    )  # fmt: skip


def _gate(profile: PlainProfile) -> Iterator[Check]:
    carrying = {message.carries: message for message in profile.messages}
    lock, unlock = carrying.get("Lock"), carrying.get("Unlock")
    if lock is not None and unlock is not None and lock.answer is not None:
        yield Check(
            name="gate/locked", kind=Kind.LOCKED, needs=Needs.ACT,
            does=f"`{lock.name}` is said while somebody draws cards, and `{unlock.name}` after {LOCKED_S:g} s.",
            passes="No card is told until the gate is unlocked, and one is told then.", fails="A card is told while the gate is locked.",
            limit_s=LOCKED_S, question=lock.name, message=unlock.name,
        )  # fmt: skip


def _duplicates(profile: PlainProfile) -> Iterator[Check]:
    if profile.repeats is not None and profile.repeats.times > 1:
        yield Check(
            name="duplicate/copies", kind=Kind.COPIES, needs=Needs.PERSON, does="The copies of every message are counted.",
            passes=f"Each is said {profile.repeats.times} times within {profile.repeats.within_s:g} s.",
            fails="One is said fewer times, or more often.",
            limit_s=profile.repeats.within_s,
        )  # fmt: skip
    if profile.numbers is not None:
        yield Check(
            name="duplicate/number", kind=Kind.SAME_NUMBER, needs=Needs.PERSON,
            does=f"What comes under a `{profile.numbers.field}` that was heard before is compared.",
            passes="It tells the same.", fails="It tells something else.", field=profile.numbers.field,
        )  # fmt: skip
    asked = _first_question(profile)
    if profile.turns is not None and asked is not None:
        yield Check(
            name="duplicate/question", kind=Kind.SAME_TURN, needs=Needs.HOST,
            does=f"`{asked.name}` is said twice with the same `{profile.turns.field}`.",
            passes="Both answers are the same, byte for byte.", fails="They differ, or one is missing.", limit_s=_within(asked),
            question=asked.name,
        )  # fmt: skip
    for message in _heard(profile):
        if message.ring is not None and (question := _question_for(profile, message)) is not None:
            yield Check(
                name=f"duplicate/{message.name}", kind=Kind.SAME_RING, needs=Needs.HOST, does=f"`{question.name}` is said twice.",
                passes=f"With the same `{message.ring.counter}` the events are the same.", fails="They differ.",
                limit_s=_within(question), message=message.name, question=question.name,
            )  # fmt: skip
        if message.reply_with is not None:
            yield Check(
                name=f"duplicate/{message.name}", kind=Kind.REPLY_LOST, needs=Needs.PERSON,
                does=f"`{message.reply_with}` is held back once, as if it was lost.",
                passes=f"`{message.name}` is said again, byte for byte, and ends when it has its reply.",
                fails="It is not said again, or differs.", message=message.name, question=message.reply_with,
            )  # fmt: skip


def _question_for(profile: PlainProfile, message: PlainMessage) -> PlainMessage | None:
    asked = questions_of(profile).values()
    return next((m for m in asked if m.answer is not None and message.name in m.answer.messages), None)


def _losses(profile: PlainProfile) -> Iterator[Check]:
    for message in questions_of(profile).values():
        if message.answer is not None and message.answer.tries > 1:
            yield Check(
                name=f"loss/{message.name}/answer", kind=Kind.ANSWER_LOST, needs=Needs.HOST,
                does=f"`{message.name}` is said again as if its answer was lost.", passes="It is answered again.", fails="It is not.",
                limit_s=message.answer.within_s, question=message.name,
            )  # fmt: skip
    if profile.numbers is not None:
        yield Check(
            name="loss/numbers", kind=Kind.NUMBERS, needs=Needs.PERSON, does=f"`{profile.numbers.field}` of every message is followed.",
            passes="Each is the next one, or that of a repetition.", fails="One is missing, or comes too late.",
        )  # fmt: skip
    for message in _heard(profile):
        if message.ring is not None:
            yield Check(
                name=f"loss/{message.name}", kind=Kind.SEEN, needs=Needs.PERSON,
                does=f"More than {message.ring.count} events happen between two polls.",
                passes=f"`{message.ring.counter}` tells how many.", fails="It does not.", message=message.name,
            )  # fmt: skip
    yield Check(
        name="loss/line", kind=Kind.SEEN, needs=Needs.INJECTOR, does="The line is cut while the device has something to say.",
        passes="Afterwards it is said, or its number shows the loss, or the profile says that it is lost.",
        fails="Something is lost that the profile says to be noticed.",
    )  # fmt: skip


def _restarts(profile: PlainProfile) -> Iterator[Check]:
    tells = [m for m in profile.messages if m.name == profile.simulation.start or (m.means is not None and m.means.begins_numbering)]
    for message in tells:
        yield Check(
            name=f"restart/{message.name}", kind=Kind.START_TOLD, needs=Needs.PERSON, does="The device is switched off and on again.",
            passes=f"It says `{message.name}`.", fails="It is switched on, and does not say so.", message=message.name,
        )  # fmt: skip
    if profile.numbers is not None and tells:
        begins = profile.numbers.first if profile.numbers.restart is None else profile.numbers.restart
        yield Check(
            name="restart/numbers", kind=Kind.NUMBERS_ANEW, needs=Needs.PERSON, does="The device is switched off and on again.",
            passes=f"`{profile.numbers.field}` begins with {begins}.", fails="It goes on, or begins with another.",
            field=profile.numbers.field, value=begins,
        )  # fmt: skip
    asked = _first_question(profile)
    if profile.turns is not None and profile.turns.restart is not None and asked is not None:
        yield Check(
            name="restart/turns", kind=Kind.NEW_TURNS, needs=Needs.HOST,
            does=f"`{asked.name}` is said with `{profile.turns.field}` {profile.turns.restart} in the middle of others.",
            passes="It is answered, and so is the next one.", fails="One is not.", limit_s=_within(asked), question=asked.name,
        )  # fmt: skip
    if profile.connect.said:
        yield Check(
            name="restart/connect", kind=Kind.SEEN, needs=Needs.PERSON, does="The device is switched off and on again.",
            passes="The connection comes about again without anybody's help.", fails="It does not.",
        )  # fmt: skip


def _plugs(profile: PlainProfile) -> Iterator[Check]:
    if questions_of(profile):
        yield Check(
            name="unplug/port", kind=Kind.PORT_AGAIN, needs=Needs.HOST, does="The port is closed and opened again.",
            passes="The device answers as before.", fails="It does not.", question=next(iter(questions_of(profile))),
        )  # fmt: skip
    yield Check(
        name="unplug/cable", kind=Kind.SEEN, needs=Needs.PERSON,
        does="The cable is pulled and put in again while the device has something to say.",
        passes="What it says afterwards is whole, and what was lost is noticed as far as the profile says.",
        fails="A damaged message passes for a good one, or the device is silent.",
    )  # fmt: skip
