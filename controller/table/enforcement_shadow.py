"""The enforcement sheet of a table in shadow mode: nothing is enforced, and what is judged is judged from what the line tells. Pure.

No line of this sheet says `prevented`: another host deals, and this table has no hand in it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from controller.dealing.procedure import Procedure
from controller.table.enforcement import Detection, DeviceMeans, Sheet, SheetLine, Verdict, make_sheet
from controller.table.following import Words

A, E, N = Detection.AT_ONCE, Detection.END_OF_SHOE, Detection.NOT_DETECTABLE
SHADOW: Final = "shadow"


class _Heard:
    """What the lines of such a table give."""

    def __init__(self, devices: Sequence[DeviceMeans], words: Words) -> None:
        self.words = words
        self.reads = any("read-cards" in device.can for device in devices if device.kind == "shoe")
        self.tells_results = words is Words.LINE and any("rounds" in device.can for device in devices)
        self.numbered = bool(devices) and all(device.notices_gaps for device in devices)


def make_shadow_sheet(procedure: Procedure, devices: Sequence[DeviceMeans], words: Words) -> Sheet:
    """Return the sheet of a table that follows another host with these ears."""
    heard, plain = _Heard(devices, words), make_sheet(procedure, devices)
    lines = [_judged(line, heard) for line in plain.lines]
    lines += [SheetLine(mishap, *judge(heard)) for mishap, judge in _OF_THE_OTHER_HOST.items()]
    return Sheet(tuple(lines), plain.limits, SHADOW)


def _judged(line: SheetLine, heard: _Heard) -> SheetLine:
    judge = _INSTEAD.get(line.mishap)
    if judge is not None:
        return SheetLine(line.mishap, *judge(heard))
    if line.detection is not Detection.PREVENTED:
        return line
    return SheetLine(line.mishap, A, "it is noticed, and nothing is done about it from here")


def _undue(heard: _Heard) -> Verdict:
    if not heard.reads:
        return N, "no device tells the cards that leave"
    if heard.words is Words.LINE:
        return A, "each card is held against the procedure; no gate is locked from here"
    return N, "where a round ends is not told by the line, so that a card too many is taken for one of the next"


def _unshuffled(heard: _Heard) -> Verdict:
    return (A, "the order of the cards read is tested, which needs some of them") if heard.reads else (N, "no device reads the cards")


def _damaged(_heard: _Heard) -> Verdict:
    return A, "it is noticed where it carries a checksum; what it said is not asked for again"


def _line_down(heard: _Heard) -> Verdict:
    if heard.numbered:
        return A, "that events were missed shows by their numbers; knowledge is partial from then on"
    return N, "what passes while nobody listens is gone; knowledge is partial after each loss of the line"


def _exchanged(_heard: _Heard) -> Verdict:
    return N, "nobody is asked who it is; a serial number is compared only where the other host asks for it"


def _program(_heard: _Heard) -> Verdict:
    return N, "no device attests its program to a listener"


def _goes_on(heard: _Heard) -> Verdict:
    if heard.words is Words.LINE:
        return A, "the next card, result or opening of the gate shows it"
    return N, "the line does not tell where the next round begins"


def _result(heard: _Heard) -> Verdict:
    return (A, "results on the line are compared with the cards") if heard.tells_results else (N, "the line carries no results")


def _before(_heard: _Heard) -> Verdict:
    return N, "knowledge is partial until a shoe is followed from its first card"


_INSTEAD: Final[dict[str, Callable[[_Heard], Verdict]]] = {
    "a card leaves although none is due": _undue,
    "cards are dealt unshuffled, or in a known order": _unshuffled,
    "a message is damaged on the line": _damaged,
    "a card leaves while the line is down": _line_down,
    "a device is exchanged for another": _exchanged,
    "a device's program is changed": _program,
}
_OF_THE_OTHER_HOST: Final[dict[str, Callable[[_Heard], Verdict]]] = {
    "the other host goes on although the procedure would not": _goes_on,
    "the other host tells another result than the cards give": _result,
    "cards left before this table listened": _before,
}
