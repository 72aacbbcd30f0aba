"""Translates canonical device events into acts of the table.

Nothing is judged here. An event that means nothing to a table becomes `DeviceRoutine`, so that its number is recorded and the device can
forget it. Card values stay sealed.
"""

from __future__ import annotations

from typing import Literal

from controller.table import acts as a
from controller.table.state import TableState
from firmware_bridge import events as e
from firmware_bridge import round_events as r
from firmware_bridge.cards import CUT_CARD, UNREADABLE, unseal

ShuffleWord = Literal["random", "sort", "count-only", "unknown"]

_MODES: dict[e.ShuffleMode, ShuffleWord] = {
    e.ShuffleMode.RANDOM: "random", e.ShuffleMode.SORT: "sort", e.ShuffleMode.COUNT_ONLY: "count-only",
}  # fmt: skip
_PROBLEMS: dict[e.ShuffleResult, Literal["", "count", "duplicates", "aborted", "foreign-back"]] = {
    e.ShuffleResult.GOOD: "", e.ShuffleResult.COUNT: "count", e.ShuffleResult.DUPLICATES: "duplicates",
    e.ShuffleResult.ABORTED: "aborted", e.ShuffleResult.FOREIGN_BACK: "foreign-back",
}  # fmt: skip

TOLD_BY_ITS_OWN_EVENT = frozenset(
    {
        e.DeviceError.JAM,
        e.DeviceError.LID,
        e.DeviceError.EMPTY,
        e.DeviceError.CANNOT_READ,
        e.DeviceError.OVERDRAW,
        e.DeviceError.FOREIGN_CARD,
    }
)
"""Errors that come with an event of their own (SDP/1 1.7), which is what the table judges."""


TELLING: dict[e.DeviceError, tuple[str, str]] = {
    e.DeviceError.JAM: ("jam", "jam-cleared"),
    e.DeviceError.LID: ("lid-open", "lid-closed"),
}
"""What an error is, and what its end is, at a device that tells it in no other way."""


def act_of_event(  # noqa: PLR0911  # one line per kind of event
    event: e.DeviceEvent, device: str, state: TableState, *, own_events: bool = True
) -> a.AnyAct:
    """The act that a device event stands for; `state` tells in which mode a cycle began.

    `own_events`: the errors of `TOLD_BY_ITS_OWN_EVENT` come with one; else the error is all that is told.
    """
    by = a.By("device", device)
    origin = a.Origin(device, event.eseq, event.replayed, event.t_ms)
    match event:
        case e.CardRead() | e.BurnEjected():
            told = event.place if isinstance(event, r.CardReadAt) else ""
            return _card(event, by, origin, out_of_flow=e.CardFlag.OUT_OF_FLOW in event.flags, told=told)
        case r.RoundTold():
            return a.ResultTold(by=by, origin=origin, result=event.result)
        case e.CardOutOfFlow(state=e.OutOfFlow.EJECTED):
            return a.DeviceRoutine(by=by, origin=origin, event="card-ejected")
        case e.CardOutOfFlow():
            return _card(event, by, origin, out_of_flow=True)
        case e.StackDispensed():
            return a.StackOut(by=by, origin=origin, count=event.counted)
        case e.CutCardSeen():
            return a.CutCardOut(by=by, origin=origin)
        case e.ShoeLoaded():
            return a.Load(by=by, origin=origin, decks=event.decks, cards=event.counted)
        case e.ShuffleDone(result=e.ShuffleResult.ABORTED):
            return a.ShuffleAborted(by=by, origin=origin)
        case e.ShuffleDone():
            mode = state.device_modes.get(device, "unknown")
            return a.Shuffle(by=by, origin=origin, mode=_word(mode), counted=event.counted, problem=_PROBLEMS.get(event.result, "count"))
        case _:
            notice, detail = _notice(event) if own_events else _error_alone(event)
            if notice is None:
                return a.DeviceRoutine(by=by, origin=origin, event=detail)
            return a.DeviceNotice(by=by, origin=origin, event=notice, name=device, detail=detail)


def _word(mode: str) -> ShuffleWord:
    return next((word for word in _MODES.values() if word == mode), "unknown")


def _card(
    event: e.CardRead | e.BurnEjected | e.CardOutOfFlow, by: a.By, origin: a.Origin, *, out_of_flow: bool, told: str = ""
) -> a.AnyAct:
    flags = event.flags
    card = unseal(event.card, "is it the cutting card")
    if card is CUT_CARD:
        return a.CutCardOut(by=by, origin=origin)
    return a.CardOut(
        by=by, origin=origin, read=event.card, face_up=e.CardFlag.FACE_UP in flags, double=e.CardFlag.DOUBLE_FEED in flags,
        unreadable=e.CardFlag.UNREADABLE in flags or card is UNREADABLE, out_of_flow=out_of_flow,
        back_mismatch=e.CardFlag.BACK_MISMATCH in flags, beyond=e.CardFlag.BEYOND_SHOE in flags, told=told,
    )  # fmt: skip


def _error_alone(event: e.DeviceEvent) -> tuple[str | None, str]:
    """As `_notice`, for a device whose errors stand for themselves: one that would be lost there is judged."""
    match event:
        case e.ErrorRaised(error=e.DeviceError.EMPTY):
            return "empty", ""
        case e.ErrorRaised(error=e.DeviceError.NONE):
            return None, "ErrorRaised"
        case e.ErrorRaised():
            return TELLING.get(event.error, ("error", ""))[0], event.error.value
        case e.ErrorCleared():
            return TELLING.get(event.error, ("", "error-cleared"))[1], event.error.value
        case _:
            return _notice(event)


def _notice(  # noqa: PLR0911  # one line per kind of event
    event: e.DeviceEvent,
) -> tuple[str | None, str]:
    """(notice, detail in words); None as notice for events that ask for nothing."""
    match event:
        case e.Jam():
            return "jam", f"at the {event.place.value}"
        case e.Lid():
            return ("lid-open" if event.is_open else "lid-closed"), ""
        case e.Started():
            return "restarted", event.reason.value
        case e.ShoeEmpty():
            return "empty", ""
        case e.ErrorRaised():
            return (None if event.error in TOLD_BY_ITS_OWN_EVENT else "error"), event.error.value
        case e.ErrorCleared(error=e.DeviceError.JAM):
            return "jam-cleared", ""
        case e.ErrorCleared():
            return (None if event.error in TOLD_BY_ITS_OWN_EVENT else "error-cleared"), event.error.value
        case e.Tamper():
            return "tamper", event.kind.value
        case e.JournalLost():
            return "events-lost", f"events {event.first} to {event.last}"
        case e.Power(change=e.PowerChange.LOST) | e.Power(change=e.PowerChange.BROWN_OUT):
            return "power-lost", event.change.value
        case e.ShuffleStarted():
            return f"mode-{_MODES.get(event.mode, 'unknown')}", ""
        case r.HostAsked():
            return None, f"host: {event.order}"
        case e.CardReturned():
            return "error", f"a card was pushed back ({event.place.value})"
        case _:
            return None, type(event).__name__
