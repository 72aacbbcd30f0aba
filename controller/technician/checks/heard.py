"""Checks that are judged by everything that was heard. Pure: a check, the record and what was held back in, an outcome out.

What was not heard has not failed unless the host asked for it: somebody has to make the device say it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Final, NamedTuple

from controller.technician.checks.line import Withheld
from controller.technician.checks.outcome import Outcome, failed, not_run, passed
from controller.technician.checks.record import Entry, Record
from device_profiles.plain.check_kinds import Check, Kind, Needs
from device_profiles.plain.frames import Unframed, Way
from device_profiles.plain.profile import PlainProfile, Repeats
from firmware_bridge.plain.framers import PlainFault
from firmware_bridge.plain.sameness import NumberWatch, RepeatFilter, Sequel

_CUT: Final = frozenset({PlainFault.OVERSIZE, PlainFault.SILENCE})
_NOTHING: Final = "Nothing was heard."
ORDER_MAX: Final = 16
"""So many messages back an earlier number is looked for: a device that mixes up its order does so with what it has waiting."""

Judge = Callable[[Check, Record, PlainProfile], Outcome]


def judge_heard(check: Check, record: Record, withheld: Mapping[str, Withheld]) -> Outcome:
    """Judge one check by what was heard."""
    if check.kind is Kind.REPLY_LOST:
        return _reply_lost(check, record, withheld.get(check.message or ""))
    return JUDGES[check.kind](check, record, record.codec.profile)


def _troubles(record: Record, faults: frozenset[PlainFault]) -> list[Entry]:
    return [entry for entry in record.entries if entry.fault in faults and not entry.is_early]


def _whole(check: Check, record: Record, profile: PlainProfile) -> Outcome:
    alarms = frozenset({PlainFault.UNFRAMED}) if profile.framing.unframed is Unframed.ALARM else frozenset()
    return _without(check, record, _troubles(record, _CUT | alarms), record.frames())


def _checksums(check: Check, record: Record, profile: PlainProfile) -> Outcome:
    checked = {g.name for g in profile.framing.grammars if g.integrity is not None}
    return _without(
        check, record, _troubles(record, frozenset({PlainFault.CHECKSUM})), [e for e in record.frames() if e.grammar in checked]
    )


def _known(check: Check, record: Record, profile: PlainProfile) -> Outcome:
    outcome = _without(check, record, wrong := [e for e in record.frames() if e.heard is None], record.frames())
    told = next((entry.problem for entry in wrong if entry.problem), "")
    return failed(check, outcome.evidence, why=f"{check.fails} {told}.") if told else outcome


def _gap(check: Check, record: Record, profile: PlainProfile) -> Outcome:
    if record.pauses:
        return not_run(check, "This line pauses by itself: only a serial port shows the pauses of the device.")
    return _without(check, record, _troubles(record, frozenset({PlainFault.SILENCE})), record.frames())


def _without(check: Check, record: Record, wrong: list[Entry], right: list[Entry]) -> Outcome:
    if wrong:
        return failed(check, record.evidence(wrong))
    return passed(check, record.evidence(right)) if right else not_run(check, _NOTHING)


def _grammar_heard(check: Check, record: Record, profile: PlainProfile) -> Outcome:
    found = [entry for entry in record.frames() if entry.grammar == check.grammar]
    return _found(check, record, found, f"No frame `{check.grammar}` was heard: somebody has to make the device send one.")


def _heard(check: Check, record: Record, profile: PlainProfile) -> Outcome:
    found = [entry for entry in record.frames() if entry.message == check.message]
    return _found(check, record, found, f"`{check.message}` was not heard: somebody has to make the device say it.")


def _value_told(check: Check, record: Record, profile: PlainProfile) -> Outcome:
    found = [
        entry
        for entry, heard in record.messages()
        if heard.name == check.message and (check.field is None or heard.fields.get(check.field) == check.value)
    ]
    return _found(check, record, found, "It was not heard: somebody has to bring it about.")


def _start_told(check: Check, record: Record, profile: PlainProfile) -> Outcome:
    return _found(check, record, _starts(record, check.message), "The device was not switched off and on.")


def _numbers_anew(check: Check, record: Record, profile: PlainProfile) -> Outcome:
    told = [m.name for m in profile.messages if m.means is not None and m.means.begins_numbering]
    starts = _starts(record, *told)
    if not starts:
        return not_run(check, "The device was not switched off and on.")
    numbered = [e for e in record.frames() if e.heard is not None and check.field in e.heard.fields]
    firsts = [next((e for e in numbered if e.at_s >= start.at_s), None) for start in starts]
    wrong = [e for e in firsts if e is not None and e.heard is not None and e.heard.fields[check.field or ""] != check.value]
    return failed(check, record.evidence(wrong)) if wrong else passed(check, record.evidence(starts))


def _starts(record: Record, *names: str | None) -> list[Entry]:
    return [entry for entry in record.frames() if entry.message in names]


def _found(check: Check, record: Record, found: list[Entry], otherwise: str) -> Outcome:
    if found:
        return passed(check, record.evidence(found[:1]))
    return failed(check, ()) if check.needs is Needs.HOST else not_run(check, otherwise)


def _silence(check: Check, record: Record, profile: PlainProfile) -> Outcome:
    limit_s, begin_s, end_s = check.limit_s or 0.0, record.listened_from_s, record.ended_s
    if end_s - begin_s < limit_s:
        return not_run(check, f"The device was listened to for less than {limit_s:g} s: add --listen {limit_s * 2:g}.")
    times = [begin_s, *(e.at_s for e in record.frames() if e.at_s >= begin_s), end_s]
    longest_s = max(late - early for early, late in pairwise(times))
    heard = [e for e in record.frames() if e.at_s >= begin_s]
    return (passed if longest_s < limit_s else failed)(check, record.evidence(heard), longest_s)


def _copies(check: Check, record: Record, profile: PlainProfile) -> Outcome:
    rule, within_s = profile.repeats or Repeats(within_s=0.1), check.limit_s or 0.0
    answers = {name for m in profile.messages if m.answer is not None for name in (*m.answer.messages, *m.answer.refusals)}
    repeats, groups = RepeatFilter(rule, profile.numbers), dict[bytes, list[Entry]]()
    judged: list[list[Entry]] = []
    for entry in record.frames():
        if entry.message in answers or entry.message in rule.once:
            continue
        if repeats.is_repeated(entry.content, entry.at_s):
            groups[entry.content].append(entry)
        else:
            groups[entry.content] = [entry]
            judged.append(groups[entry.content])
    judged = [
        group for group in judged if group[0].at_s <= record.ended_s - within_s and not record.was_opened_near(group[0].at_s, within_s)
    ]
    if not judged:
        return not_run(check, f"Nothing was heard more than {within_s:g} s before the end: make the device say something.")
    for group in judged:
        if len(group) != rule.times:
            why = f"`{group[0].message}` is said {len(group)} time{'s' if len(group) > 1 else ''}, not {rule.times} times."
            return failed(check, record.evidence(group), why=why)
    return passed(check, record.evidence(judged[0]))


class _Numbered(NamedTuple):
    """A message with its number, and how that follows the one before it."""

    entry: Entry
    number: int
    sequel: Sequel


def _numbered(record: Record, profile: PlainProfile) -> list[_Numbered]:
    """The numbered messages in the order in which they were heard; further copies of the same bytes are left out."""
    rule = profile.numbers
    watch, repeats = NumberWatch.of_messages(rule), RepeatFilter(profile.repeats, rule)
    if watch is None or rule is None:
        return []
    numbered: list[_Numbered] = []
    for place, entry in enumerate(record.entries):
        if place in record.opened_at:
            watch.clear()
            repeats.clear()
        if entry.heard is None or repeats.is_repeated(entry.content, entry.at_s):
            continue
        if entry.heard.means is not None and entry.heard.means.begins_numbering:
            watch.clear()
        number = entry.heard.fields.get(rule.field)
        if isinstance(number, int):
            numbered.append(_Numbered(entry, number, watch.take(number, entry.heard.told)))
    return numbered


def _numbers(check: Check, record: Record, profile: PlainProfile) -> Outcome:
    numbered = _numbered(record, profile)
    for place, (before, this) in enumerate(pairwise(numbered), 1):
        if this.sequel is Sequel.GAP:
            near = {one.number for one in numbered[max(0, place - ORDER_MAX) : place + ORDER_MAX]}
            is_mixed = before.number - ORDER_MAX < this.number < before.number or before.number + 1 in near
            why = f"After number {before.number} came {this.number}: " + (
                "they come out of order." if is_mixed else "something is missing."
            )
            return failed(check, record.evidence([before.entry, this.entry]), why=why)
    shown = record.evidence([one.entry for one in numbered])
    return passed(check, shown) if len(numbered) > 1 else not_run(check, "Fewer than two numbered messages were heard.")


def _same_number(check: Check, record: Record, profile: PlainProfile) -> Outcome:
    numbered = _numbered(record, profile)
    for before, this in pairwise(numbered):
        if this.sequel is Sequel.CHANGED:
            why = f"Number {this.number} came again and tells something else: one of both is not true."
            return failed(check, record.evidence([before.entry, this.entry]), why=why)
    return passed(check, record.evidence([one.entry for one in numbered])) if numbered else not_run(check, _NOTHING)


def _reply_lost(check: Check, record: Record, held: Withheld | None) -> Outcome:
    if held is None:
        return not_run(check, f"`{check.message}` was not heard: somebody has to make the device say it.")
    replies = [e for e in record.entries if e.way is Way.OUT and e.message == check.question and e.at_s >= held.first.at_s]
    passages = [e for e in (held.first, held.again, held.after, *replies[:1]) if e is not None]
    shown = record.evidence(sorted(passages, key=lambda entry: entry.at_s))
    if held.again is None:
        return failed(check, shown, why=f"Without its reply, `{check.message}` is not said again.")
    if held.after is not None:
        return failed(check, shown, why=f"`{check.message}` is said again although it has its reply.")
    return passed(check, shown, held.again.at_s - held.first.at_s)


JUDGES: Final[dict[Kind, Judge]] = {
    Kind.WHOLE: _whole,
    Kind.GRAMMAR_HEARD: _grammar_heard,
    Kind.CHECKSUMS: _checksums,
    Kind.KNOWN: _known,
    Kind.HEARD: _heard,
    Kind.GAP: _gap,
    Kind.SILENCE: _silence,
    Kind.COPIES: _copies,
    Kind.VALUE_TOLD: _value_told,
    Kind.NUMBERS: _numbers,
    Kind.SAME_NUMBER: _same_number,
    Kind.START_TOLD: _start_told,
    Kind.NUMBERS_ANEW: _numbers_anew,
}
