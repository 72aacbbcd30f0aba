"""The errors of the journal, by what the caller can do about them.

At start-up: another process has the file (`JournalBusyError`), it is the journal of other tables
(`JournalForeignError`), the keys do not fit (`JournalKeyError`), it cannot be read (`JournalUnavailableError`), or it
is damaged (`JournalDamagedError`, which names the first damaged record). None of these changes anything on disk.

In operation: `JournalFullError` and `JournalFailedError` refuse an entry and lose nothing that was acknowledged; the
journal takes entries again after a successful probe. `EntryRefusedError` is the caller's own mistake.

This file knows no SQL; foreign exceptions are converted where they arise.
"""

from __future__ import annotations

import enum
from pathlib import Path
from typing import ClassVar

from controller.errors import NotInOrderError, ShoedError


class DamageKind(enum.Enum):
    """What is wrong with a journal; the value is the stable name in JSON output."""

    FILE = "file-unreadable"
    HEADER = "header"
    REMOVED = "removed"
    EDITED = "edited"
    REORDERED = "reordered"
    TRUNCATED = "truncated"
    REWRITTEN = "rewritten"
    CHECKPOINT = "checkpoint"
    SEALED = "sealed-cards"
    INDEX = "index"
    ANCHOR = "anchor"


class JournalError(ShoedError):
    """Root of all errors of this package."""


class JournalDamagedError(JournalError, NotInOrderError):
    """The journal was read and is not what was written.

    Attributes:
        kind: what is wrong.
        number: the first damaged record; 0 is the header.
        table: the table of that record, or "" where it cannot be told.
    """

    exit_code: ClassVar[int] = 1

    def __init__(self, path: Path, kind: DamageKind, number: int, table: str, detail: str) -> None:
        super().__init__(
            "journal-damaged",
            f"The journal {path} is damaged: {detail}",
            "Keep the file as it is, run `shoed journal verify`, and start with a new journal file.",
        )
        self.kind = kind
        self.number = number
        self.table = table


class JournalForeignError(JournalError):
    """The file is in order and belongs to other tables."""

    def __init__(self, path: Path, found: tuple[str, ...], wanted: tuple[str, ...]) -> None:
        super().__init__(
            "journal-foreign",
            f"The journal {path} is the journal of table {', '.join(found)}, not of {', '.join(wanted)}.",
            "Name another journal file in the configuration, or correct the names of the tables.",
        )
        self.found = found
        self.wanted = wanted


class JournalBusyError(JournalError):
    """Another process writes this journal."""

    def __init__(self, path: Path, holder: str) -> None:
        super().__init__(
            "journal-busy",
            f"The journal {path} is in use by {holder}.",
            "Stop that process first: one journal has one writer.",
        )
        self.holder = holder


class JournalUnavailableError(JournalError):
    """The file or its folder is missing, not permitted, or of a version that this program does not know."""

    def __init__(self, what: str, do: str) -> None:
        super().__init__("journal-unavailable", what, do)


class JournalKeyError(JournalError):
    """The key file is missing, readable by others, malformed, or not the one this journal was made with."""

    def __init__(self, what: str, do: str) -> None:
        super().__init__("journal-key", what, do)


class JournalFullError(JournalError):
    """There is no room for another entry; what was acknowledged is on disk."""

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(
            "journal-full",
            f"There is no room for the journal {path} ({reason}); nothing acknowledged is lost, no new round starts.",
            "Free space on that disk; the table goes on by itself when there is room again.",
        )


class JournalFailedError(JournalError):
    """The disk or the file refused a write; what was acknowledged is on disk."""

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(
            "journal-failed",
            f"The journal {path} cannot be written ({reason}); nothing acknowledged is lost, no new round starts.",
            "Check the disk and its cable, then the permissions of the file; the journal is tried again by itself.",
        )


class JournalClosedError(JournalError):
    """This process has closed the journal."""

    def __init__(self, path: Path) -> None:
        super().__init__("journal-closed", f"The journal {path} is closed.", "Start the daemon again to write more entries.")


class JournalOverloadedError(JournalError):
    """Entries come faster than the disk takes them, and the waiting room is full."""

    def __init__(self, path: Path, pending: int) -> None:
        super().__init__(
            "journal-overloaded",
            f"{pending} entries wait for the journal {path} and the disk does not keep up.",
            "Check the disk's health; put fewer tables on one journal.",
        )


class EntryRefusedError(JournalError):
    """An entry that must not be written: a mistake of the program that offers it."""

    def __init__(self, what: str) -> None:
        super().__init__(
            "entry-refused",
            f"An entry was refused: {what}.",
            "This is a defect of shoed: send the log to the maintainers.",
        )


class NoSuchRoundError(JournalError):
    """The journal holds no such round, or several of this number."""

    def __init__(self, what: str, do: str) -> None:
        super().__init__("no-such-round", what, do)
