"""What can be wrong with a profile or with a message of one.

`ProfileError` and its kin say that a profile cannot be used: the caller names another or corrects it. `FieldError`
and its kin say that one message does not fit its description: the caller records it or refuses the command.
"""

from __future__ import annotations

from typing import Final

TOLD_MAX: Final = 300
"""Characters of the text that a file brings into an error: enough to find the place, whatever the file holds."""


def shortened(text: str) -> str:
    """Return the text as an error may carry it."""
    return text if len(text) <= TOLD_MAX else f"{text[: TOLD_MAX - 3]}..."


class ProfileError(Exception):
    """A profile cannot be used; the text says which, where and what to do."""


class UnknownProfileError(ProfileError):
    """No profile has this name."""

    def __init__(self, name: str, nearest: str | None, known: tuple[str, ...]) -> None:
        self.name = name
        self.nearest = nearest
        self.known = known
        hint = f"did you mean '{nearest}'?" if nearest else f"known profiles: {', '.join(known)}"
        super().__init__(f"there is no device profile '{name[:40]}'; {hint}")


class UnknownKeyError(ProfileError):
    """The file has a key that the profile language does not know."""

    def __init__(self, file: str, path: str, nearest: str | None) -> None:
        self.file = file
        self.path = path
        self.nearest = nearest
        hint = f"; did you mean '{nearest}'?" if nearest else ""
        super().__init__(f"{file}: unknown key '{shortened(path)}'{hint}")


class InvalidProfileError(ProfileError):
    """A value of the file has the wrong type or contradicts another."""

    def __init__(self, file: str, problem: str) -> None:
        self.file = file
        super().__init__(f"{file}: {shortened(problem)}")


class FailedVectorError(ProfileError):
    """A test vector of the profile does not come out as the profile says; such a profile is not used."""

    def __init__(self, file: str, vector: str, problem: str) -> None:
        self.file = file
        self.vector = vector
        super().__init__(f"{file}: test vector {shortened(vector)} fails: {shortened(problem)}")


class FieldError(ValueError):
    """A message does not fit its description."""


class ShortPayloadError(FieldError):
    """The payload ends before its fields do, or has a malformed part."""


class FieldRangeError(FieldError):
    """A value outside what the profile allows for its field."""
