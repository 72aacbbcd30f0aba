"""What every text that fits a pattern has in common: its constant parts in order, and how long it can be.

An analyser's script has no such patterns, so it tells text messages by these. Only what the patterns of profiles use is understood:
literals, classes, groups with alternatives, and counts; anything else counts as text of any length.
"""

from __future__ import annotations

from typing import Final, NamedTuple

ANY_LENGTH: Final = 1 << 16
_COUNTS: Final = {"*": (0, ANY_LENGTH), "+": (1, ANY_LENGTH), "?": (0, 1)}


class Parts(NamedTuple):
    """`constants`: one of each must occur, in this order. `least` and `most` characters in all."""

    constants: list[tuple[str, ...]]
    least: int
    most: int

    @property
    def literal(self) -> str | None:
        """The whole text, where it is always the same."""
        words = [words[0] for words in self.constants if len(words) == 1]
        whole = "".join(words)
        return whole if len(words) == len(self.constants) and len(whole) == self.least == self.most else None


def parts_of(pattern: str) -> Parts:
    """Take a pattern apart."""
    parts, _ = _alternatives(pattern, 0)
    return parts


def _alternatives(pattern: str, at: int) -> tuple[Parts, int]:
    branches = []
    while True:
        parts, at = _sequence(pattern, at)
        branches.append(parts)
        if at < len(pattern) and pattern[at] == "|":
            at += 1
            continue
        break
    if len(branches) == 1:
        return branches[0], at
    words = [branch.literal for branch in branches]
    constants = [tuple(word for word in words if word is not None)] if all(words) else []
    return Parts(constants, min(b.least for b in branches), min(ANY_LENGTH, max(b.most for b in branches))), at


def _sequence(pattern: str, at: int) -> tuple[Parts, int]:
    constants: list[tuple[str, ...]] = []
    least = most = 0
    joins = False  # the constant before ends where the next atom begins
    while at < len(pattern) and pattern[at] not in "|)":
        atom, at = _atom(pattern, at)
        (low, high), at = _count(pattern, at)
        once = (low, high) == (1, 1)
        if low:
            if once and joins and constants and atom.literal is not None and len(constants[-1]) == 1:
                constants[-1] = (constants[-1][0] + atom.literal,)
            else:
                constants += atom.constants
        joins = once and atom.literal is not None
        least, most = least + low * atom.least, min(ANY_LENGTH, most + high * atom.most)
    return Parts(constants, least, most), at


def _atom(pattern: str, at: int) -> tuple[Parts, int]:
    char = pattern[at]
    if char == "\\":
        known = pattern[at + 1 : at + 2]
        return (Parts([(known,)], 1, 1) if not known.isalnum() else Parts([], 1, 1)), at + 2
    if char == "[":
        end = at + 2 if pattern[at + 1 : at + 2] != "^" else at + 3
        while end < len(pattern) and pattern[end] != "]":
            end += 2 if pattern[end] == "\\" else 1
        return Parts([], 1, 1), end + 1
    if char == "(":
        begin = at + 1
        if pattern.startswith("(?P<", at):
            begin = pattern.index(">", at) + 1
        elif pattern.startswith("(?:", at):
            begin = at + 3
        parts, end = _alternatives(pattern, begin)
        return parts, end + 1
    return (Parts([], 1, 1) if char in ".^$" else Parts([(char,)], 1, 1)), at + 1


def _count(pattern: str, at: int) -> tuple[tuple[int, int], int]:
    if at >= len(pattern):
        return (1, 1), at
    if pattern[at] in _COUNTS:
        return _COUNTS[pattern[at]], at + 1
    if pattern[at] != "{":
        return (1, 1), at
    end = pattern.index("}", at)
    low, _, high = pattern[at + 1 : end].partition(",")
    least = int(low or 0)
    return (least, int(high) if high else ANY_LENGTH if "," in pattern[at:end] else least), end + 1
