"""A reserve of disk space: a file `<journal>.ballast` that holds room and is removed when the disk is full.

What it frees is enough for the closing records of every table, written when no other entry is taken any more (a
closing record costs some 12 KB in the write-ahead log). Knows nothing of SQLite.
"""

from __future__ import annotations

import os
from pathlib import Path


class Ballast:
    """The reserve beside one journal; `size_bytes` 0 keeps none."""

    __slots__ = ("_path", "_size_bytes")

    def __init__(self, journal: Path, size_bytes: int) -> None:
        self._path = journal.with_name(journal.name + ".ballast")
        self._size_bytes = size_bytes

    def is_whole(self) -> bool:
        """Tell whether the reserve is there in full."""
        if self._size_bytes == 0:
            return True
        try:
            found = self._path.stat()
        except FileNotFoundError:
            return False
        return found.st_size >= self._size_bytes and found.st_blocks * 512 >= self._size_bytes

    def restore(self) -> None:
        """Take the room again.

        Raises:
            OSError: when there is not enough; what was taken is given back.
        """
        if self.is_whole():
            return
        handle = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            os.posix_fallocate(handle, 0, self._size_bytes)
            os.fsync(handle)
        except OSError:
            self.release()
            raise
        finally:
            os.close(handle)

    def release(self) -> None:
        """Free the room."""
        self._path.unlink(missing_ok=True)
