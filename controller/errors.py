"""The root of the controller's errors: a stable code, one sentence of what happened, one of what to do next.

Every error that a person may see derives from `ShoedError`. The command line prints the two sentences, the API
returns all three fields, and the manual has a page per code. A code never changes its meaning; decide by class or code,
never by the text. The bridge below has a root of its own with the same three attributes, since it must not import this.
"""

from __future__ import annotations

from typing import ClassVar


def as_sentence(words: str) -> str:
    """Return words as a sentence that stands alone: a capital, unless a name comes first, and a full stop, unless a command comes last."""
    first, _, _ = words.partition(" ")
    if first.isalpha() and first != "shoed":
        words = words[:1].upper() + words[1:]
    return words if words.endswith((".", "?", "!")) or ": shoed " in words else f"{words}."


class ShoedError(Exception):
    """What stops the current operation, told to a person.

    Attributes:
        code: stable name in kebab case, such as `unknown-setting`.
        what: one sentence, what happened.
        do: one sentence, what to do now.
        exit_code: how a command ends with it: 2 for usage or configuration, 1 where the thing checked is not in order.
    """

    exit_code: ClassVar[int] = 2

    def __init__(self, code: str, what: str, do: str) -> None:
        super().__init__(f"{what} {do}")
        self.code = code
        self.what = what
        self.do = do


class NotInOrderError(ShoedError):
    """What was checked (a journal, a scenario, a device) was read well and is not in order."""

    exit_code: ClassVar[int] = 1
