"""Device notices: what a jam, a lost line, a lid, a restart mean in each phase.

Rows of the game's irregularity table apply at the event. A fault without a row suspends the table in place; it goes on in the very
state it left, or ends in `void`.
"""

from __future__ import annotations

from collections.abc import Callable

from controller.dealing.side_steps import BurnByFirst
from controller.dealing.steps import Burn, Deal, Draw, Exchange, Stack, StateKind
from controller.dealing.turn_steps import HandCard
from controller.table import facts as f
from controller.table.acts import DeviceNotice, DeviceRoutine
from controller.table.desk import Desk
from controller.table.going_on import go_on_if_free, settle_alarm, shuffler_failed, unshuffle_outside_round, unshuffle_spare

UNDOES_A_SHUFFLE = frozenset(
    {
        "jam", "lid-open", "restarted", "power-lost", "tamper", "events-lost", "wrong-identity",
        "mode-sort", "mode-random", "mode-count-only", "mode-unknown",
    }
)  # fmt: skip
"""What may have happened to the deck in a shuffler since its cycle; a mode is told when the next cycle begins."""
WAYS = ("continue", "void", "reshuffle", "replace-deck")


def routine(desk: Desk, act: DeviceRoutine) -> None:
    """Nothing changes at the table; the event's number is recorded with the act."""


def device_notice(desk: Desk, act: DeviceNotice) -> None:
    """A device event that moves no card."""
    if _is_shuffler(act) and act.event in UNDOES_A_SHUFFLE:
        unshuffle_spare(desk, f"{act.event} of {act.name}")
    meet = _NOTICES.get(act.event)
    if meet is None:
        desk.notes.message = f"'{act.event}' is recorded; it asks for nothing."
    else:
        meet(desk, act)


def _cards_still_to_come(desk: Desk) -> bool:
    names = desk.procedure.names
    phase = desk.draft.phase if desk.draft.phase in names else desk.draft.resume_to
    if phase not in names:
        return False
    later = desk.procedure.steps[names.index(phase) :]
    round_ = desk.draft.round
    brings_cards = [step for step in later if isinstance(step, Burn | BurnByFirst | Deal | Stack | Draw | HandCard | Exchange)]
    return any(step.when is None or (round_ is not None and step.when(round_)) for step in brings_cards)


def _is_shuffler(act: DeviceNotice) -> bool:
    return "shuffler" in act.name


def _jam(desk: Desk, act: DeviceNotice) -> None:
    if _is_shuffler(act):
        if not desk.in_round:
            unshuffle_outside_round(desk, f"jam in {act.name}")
        shuffler_failed(desk, act.name)
        desk.raise_alarm("device-malfunction", where=act.name, holds=False)
    elif desk.in_round and _cards_still_to_come(desk):
        desk.irregular("device-malfunction", where=act.name, detail=act.detail)
    elif desk.in_round:
        desk.raise_alarm("device-malfunction", where=act.name, holds=False)
    else:
        unshuffle_outside_round(desk, f"jam in {act.name}")
        desk.raise_alarm("not-shuffled", where=act.name, holds=False)
        desk.notes.irregularity = "device-malfunction"


def _lost(desk: Desk, act: DeviceNotice) -> None:
    desk.raise_alarm("device-lost", where=act.name, detail=act.detail, ways=("void",))


def _back(desk: Desk, act: DeviceNotice) -> None:
    """The line is back and the device has told every event since: the table goes on where it was held."""
    for code in ("device-lost", "wrong-identity"):
        settle_alarm(desk, code, "back", act.name)
    go_on_if_free(desk)


def _restarted(desk: Desk, act: DeviceNotice) -> None:
    """A device that restarted in a round: a person looks at it; the round never goes on by itself."""
    if _is_shuffler(act) and not desk.in_round:
        unshuffle_outside_round(desk, f"{act.name} restarted")
        desk.raise_alarm("not-shuffled", where=act.name, holds=False)
        return
    desk.raise_alarm("device-restarted", where=act.name, detail=act.detail, holds=not _is_shuffler(act), ways=WAYS)


def _lid_open(desk: Desk, act: DeviceNotice) -> None:
    if desk.in_round:
        desk.raise_alarm("lid-open", where=act.name, detail="open", holds=not _is_shuffler(act), ways=WAYS)
    else:
        unshuffle_outside_round(desk, f"lid of {act.name} opened")
        desk.raise_alarm("lid-open", where=act.name, detail="open", holds=False)


def _lid_closed(desk: Desk, act: DeviceNotice) -> None:
    alarm = next((a for a in desk.draft.alarms if a.code == "lid-open" and a.where == act.name), None)
    if alarm is None:
        return
    if alarm.holds:
        desk.emit(f.AlarmRaised(code="lid-open", where=act.name, detail="closed", holds=True, ways=alarm.ways))
    else:
        settle_alarm(desk, "lid-open", "closed", act.name)


def _mode(desk: Desk, act: DeviceNotice) -> None:
    """A device tells the mode in which it is, or in which a cycle begins; until a cycle is done the deck is not shuffled."""
    mode = act.event.removeprefix("mode-")
    desk.emit(f.DeviceModeTold(device=act.name, mode=mode))
    unshuffle_outside_round(desk, f"{act.name} is in mode {mode}")
    if mode == "random":
        settle_alarm(desk, "device-mode", "mode random", act.name)
    else:
        desk.raise_alarm("device-mode", where=act.name, detail=f"mode {mode}", holds=False)


def _empty(desk: Desk, act: DeviceNotice) -> None:
    round_ = desk.draft.round
    if desk.in_round and round_ is not None and round_.cards_due:
        desk.irregular("too-few-cards", where=act.name)
    else:
        if desk.in_round:
            desk.emit(f.ShoeEmptied())
        desk.notes.message = "The shoe is empty; it is shuffled before the next round."


def _warning(desk: Desk, act: DeviceNotice) -> None:
    desk.raise_alarm("device-warning", where=act.name, detail=act.detail, holds=False)


def _cleared(desk: Desk, act: DeviceNotice) -> None:
    settle_alarm(desk, "device-error", "cleared", act.name)
    go_on_if_free(desk)


def _error(desk: Desk, act: DeviceNotice) -> None:
    desk.raise_alarm("device-error", where=act.name, detail=act.detail, holds=desk.in_round, ways=WAYS)


def _tamper(desk: Desk, act: DeviceNotice) -> None:
    desk.raise_alarm("tamper", where=act.name, detail=act.detail, ways=WAYS)


def _foreign_usb(desk: Desk, act: DeviceNotice) -> None:
    """It had a socket of this machine, so everything that this machine says is in doubt until somebody has looked (EQ-53)."""
    desk.raise_alarm("foreign-usb", where=act.name, detail=act.detail, ways=WAYS)


def _events_lost(desk: Desk, act: DeviceNotice) -> None:
    desk.raise_alarm("partial-knowledge", where=act.name, detail=act.detail, ways=WAYS)


def _unheard(desk: Desk, act: DeviceNotice) -> None:
    """Nobody listened for a while to a device that tells nothing again: with cards in play a person has to look at what lies there."""
    if desk.draft.deck.shuffled and desk.kind is not StateKind.CLOSED:
        desk.raise_alarm("partial-knowledge", where=act.name, detail=act.detail, ways=WAYS)
    else:
        desk.notes.message = "Nothing was at stake: no shuffled cards are in play."


def _wrong_identity(desk: Desk, act: DeviceNotice) -> None:
    desk.raise_alarm("wrong-identity", where=act.name, detail=act.detail, ways=("void",))


def _clock_stepped(desk: Desk, act: DeviceNotice) -> None:
    """Times in the record are no more those of the surveillance clock (EQ-93); play goes on."""
    desk.raise_alarm("clock", where=act.name, detail=act.detail, holds=False, ways=("continue",))


_NOTICES: dict[str, Callable[[Desk, DeviceNotice], None]] = {
    "jam": _jam, "lost": _lost, "power-lost": _lost, "back": _back, "restarted": _restarted, "lid-open": _lid_open,
    "lid-closed": _lid_closed, "mode-sort": _mode, "mode-random": _mode, "mode-count-only": _mode, "mode-unknown": _mode, "empty": _empty,
    "warning": _warning, "jam-cleared": _cleared, "error-cleared": _cleared, "error": _error, "tamper": _tamper,
    "events-lost": _events_lost, "unheard": _unheard, "wrong-identity": _wrong_identity, "clock-stepped": _clock_stepped,
    "foreign-usb": _foreign_usb,
}  # fmt: skip
