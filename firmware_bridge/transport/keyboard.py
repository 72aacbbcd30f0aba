"""What a USB keyboard types, out of its boot reports (HID 1.11, appendix B). Pure.

A hand scanner in its factory setting is a keyboard of the American layout. Each report lists the keys that are down; a key
types once, when it is in a report and was not in the one before. Only what scanners type has a letter here: digits, letters,
line end, tabulator, a few signs. A key without a letter types `REPLACEMENT`, so that a damaged code is never a shorter one.
"""

from __future__ import annotations

from typing import Final

REPORT_BYTES: Final = 8
"""Modifiers, one reserved byte, six keys."""
REPLACEMENT: Final = b"?"
SHIFTS: Final = 0x22
"""Left and right shift among the modifiers."""
TOO_MANY_KEYS: Final = 0x01
"""Stands in all six places when more keys are down than a report holds."""

_PLAIN: Final = {
    **{0x04 + n: bytes((ord("a") + n,)) for n in range(26)},
    **{0x1E + n: digit for n, digit in enumerate((b"1", b"2", b"3", b"4", b"5", b"6", b"7", b"8", b"9", b"0"))},
    **{0x59 + n: digit for n, digit in enumerate((b"1", b"2", b"3", b"4", b"5", b"6", b"7", b"8", b"9", b"0"))},
    0x28: b"\n", 0x58: b"\n", 0x2B: b"\t", 0x2C: b" ", 0x2D: b"-", 0x36: b",", 0x37: b".", 0x38: b"/", 0x63: b".",
}  # fmt: skip
_SHIFTED: Final = {0x04 + n: bytes((ord("A") + n,)) for n in range(26)} | {0x28: b"\n", 0x2B: b"\t", 0x2C: b" ", 0x2D: b"_", 0x58: b"\n"}
_KEY_OF: Final = {typed[0]: (0, key) for key, typed in reversed(_PLAIN.items())} | {
    typed[0]: (0x02, key) for key, typed in _SHIFTED.items() if typed not in _PLAIN.values()
}


class KeyboardText:
    """Reads the reports of one keyboard."""

    def __init__(self) -> None:
        self._down: frozenset[int] = frozenset()

    def feed(self, report: bytes) -> bytes:
        """Return what this report types; empty when nothing."""
        keys = report[2:REPORT_BYTES]
        if len(report) < REPORT_BYTES or TOO_MANY_KEYS in keys:
            return b""
        letters = _SHIFTED if report[0] & SHIFTS else _PLAIN
        typed = b"".join(letters.get(key, REPLACEMENT) for key in keys if key and key not in self._down)
        self._down = frozenset(keys) - {0}
        return typed


def reports_typing(text: bytes) -> list[bytes]:
    """Return the reports of a keyboard that types a text: each key goes down and up again.

    Raises:
        KeyError: a letter that such a keyboard does not have.
    """
    reports: list[bytes] = []
    for letter in text:
        if letter == ord("\r"):
            continue  # the key for the line end types both
        modifiers, key = _KEY_OF[letter]
        reports += [bytes((modifiers, 0, key, 0, 0, 0, 0, 0)), bytes(REPORT_BYTES)]
    return reports
