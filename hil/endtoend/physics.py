"""What a script's device act is at a simulated device: a card pulled, a line cut, a lid opened.

SDP/1 does not carry everything that a script can say of a device. What it cannot carry is told to the daemon by a
person through the API, as it would be at a table, and is named here:

* `load` with a back colour: SHOE_LOADED gives decks and a count (SDP/1 1.7), so somebody says which set it is;
* `shuffle` that names missing or extra cards: SHUFFLE_DONE gives counts and a verdict, the names are on the device's
  own screen;
* a warning, since SDP/1 has no event for it;
* a device act whose script says that a person tells of it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from controller.decks import DeckSpec
from controller.scenario.runner import PlayError
from controller.scenario.script import Step
from controller.table import acts
from firmware_bridge.cards import UNREADABLE, Card, Sealed, unseal
from firmware_bridge.events import ShuffleMode, ShuffleResult
from hil.endtoend.bench import Pair
from hil.simulated.device import SimulatedDevice

WHY: Final = "the script says which card comes"
CUT_FOR_S: Final = 3_600.0
"""Until the script mends the line."""

MODES: Final = {"random": ShuffleMode.RANDOM, "sort": ShuffleMode.SORT, "count-only": ShuffleMode.COUNT_ONLY}
PROBLEMS: Final = {
    "": None,
    "count": ShuffleResult.COUNT,
    "duplicates": ShuffleResult.DUPLICATES,
    "aborted": ShuffleResult.ABORTED,
    "foreign-back": ShuffleResult.FOREIGN_BACK,
}


def is_carried(step: Step) -> bool:
    """Return whether a device can tell this over SDP/1; else a person tells it."""
    if not step.by_device:
        return False
    match step.act:
        case acts.Load(back=back):
            return back is None
        case acts.Shuffle(missing=missing, extra=extra, mode=mode):
            return not missing and not extra and mode in MODES
        case acts.DeviceNotice(event=event):
            return event in _NOTICES
        case _:
            return True


def device_of(step: Step, pair: Pair) -> SimulatedDevice:
    """Return the device that the act happens at."""
    match step.act:
        case acts.DeviceNotice(name=name):
            return pair.named(name)
        case _:
            return pair.named(step.by.name)


def play_act(step: Step, device: SimulatedDevice, deck: DeckSpec, *, gate_open: bool) -> None:
    """Let the act happen at its device; runs on the devices' loop.

    Raises:
        PlayError: when the device has no such act.
    """
    match step.act:
        case acts.Load(cards=cards, decks=decks):
            device.unload()
            device.load_blank(decks * deck.per_deck if cards is None else cards)
        case acts.Shuffle(mode=mode, counted=counted, problem=problem):
            found = deck.cards if counted is None else counted
            device.shuffle_result(MODES[mode], found, deck.cards, result=PROBLEMS[problem], decks=deck.decks)
        case acts.ShuffleAborted():
            device.shuffle_aborted()
        case acts.CardOut() as card:
            face, unreadable = _face(card.read)
            device.draw_card(
                face,
                face_up=card.face_up,
                unreadable=unreadable,
                double=card.double,
                back=card.back,
                out_of_flow=card.out_of_flow,
            )
        case acts.StackOut(count=count, cards=cards):
            if cards:
                device.supply_stack([_face(card)[0] for card in cards], now=not gate_open)
            else:
                device.supply_stack(count=count, now=not gate_open)
        case acts.CutCardOut():
            device.cut_card()
        case acts.DeviceNotice(event=event):
            _NOTICES[event](device)
        case _:
            raise PlayError("no-device-act", f"No device does `{step.key}`.", "Leave the act to a person.")


def _face(read: Sealed) -> tuple[Card | None, bool]:
    card = unseal(read, WHY)
    return (None, True) if card is UNREADABLE else (card, False)


_NOTICES: Final[dict[str, Callable[[SimulatedDevice], object]]] = {
    "jam": lambda device: device.jam(),
    "jam-cleared": lambda device: device.clear_jam(),
    "lid-open": lambda device: device.open_lid(),
    "lid-closed": lambda device: device.close_lid(),
    "lost": lambda device: device.cut_line(CUT_FOR_S),
    "back": lambda device: device.mend_line(),
    "mode-sort": lambda device: device.press_shuffle(ShuffleMode.SORT),
    "mode-random": lambda device: device.press_shuffle(ShuffleMode.RANDOM),
    "restarted": lambda device: device.power_cycle(),
    "empty": lambda device: device.shoe_empty(),
    "power-lost": lambda device: device.power_event("lost"),
    "tamper": lambda device: device.tamper("case"),
    "error": lambda device: device.fail("motor"),
    "error-cleared": lambda device: device.mend("motor"),
}
