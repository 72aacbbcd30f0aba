"""One writer a journal: an advisory lock on a file beside it, `<journal>.lock`, that names its holder.

The kernel drops the lock when the process ends, however it ends. The file stays behind after use; it is removed only
when it was made by an opening that then refused, so that a refusal leaves nothing on the disk. The lock is not taken
on the database itself: closing a second handle of that file would drop SQLite's own locks.
"""

from __future__ import annotations

import fcntl
import os
from pathlib import Path
from typing import Final

from controller.journal.errors import JournalBusyError, JournalUnavailableError

_TRIES_MAX: Final = 100
"""Each try fails only if another opening removes the file in between: a hundred in a row is no accident."""
_HOLDER_BYTES_MAX: Final = 64


class JournalLock:
    """Holds the lock from creation until `release`."""

    __slots__ = ("_handle", "_made", "_path")

    def __init__(self, journal: Path) -> None:
        """Take the lock.

        Raises:
            JournalBusyError: when another process has it.
            JournalUnavailableError: when the folder is missing or not permitted.
        """
        self._path = journal.with_name(journal.name + ".lock")
        for _ in range(_TRIES_MAX):
            self._made = not self._path.exists()
            handle = _open_lock(self._path, journal)
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError as error:
                holder = os.pread(handle, _HOLDER_BYTES_MAX, 0).decode("ascii", "replace").strip()
                os.close(handle)
                raise JournalBusyError(journal, holder or "another process") from error
            if _is_same_file(handle, self._path):
                self._handle = handle
                return
            os.close(handle)
        raise JournalBusyError(journal, "processes that open and close it all the time")

    def sign(self) -> None:
        """Write this process into the lock file, for whoever is refused."""
        os.ftruncate(self._handle, 0)
        os.pwrite(self._handle, f"process {os.getpid()}\n".encode(), 0)

    def release(self, *, unused: bool = False) -> None:
        """Give the lock back; `unused` also removes the file if this opening made it."""
        if unused and self._made:
            self._path.unlink(missing_ok=True)
        os.close(self._handle)


def _open_lock(path: Path, journal: Path) -> int:
    try:
        return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise JournalUnavailableError(
            f"The journal {journal} cannot be opened for writing: {error.strerror} ({path.name}).",
            "Create the folder and give it to the account that runs shoed.",
        ) from error


def _is_same_file(handle: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(handle), path.stat())
    except FileNotFoundError:
        return False
