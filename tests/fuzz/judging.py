"""What every wrong input must keep to: a typed error in words a person can read, bounded time, no memory kept."""

from __future__ import annotations

import gc
import re
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

import msgspec

from controller.errors import ShoedError

CPU_MAX_S = 5.0
"""For one input. The slowest, a file of the largest size, takes two on a small machine."""

TEXT_MAX = 700
"""Characters of an error: a few lines on a screen, whatever the input was."""

BLOCKS_MAX = 20_000
"""Objects that may be there after a run and not before: caches of the interpreter and of regular expressions."""

_CODE = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")


def is_told(error: ShoedError) -> None:
    """Fail unless the error has its code and two sentences, short and fit for JSON."""
    assert _CODE.fullmatch(error.code), error.code
    for text in (error.what, error.do):
        assert text.strip()
        assert len(text) < TEXT_MAX, text
        msgspec.json.encode(text)


@contextmanager
def in_time(seed: object) -> Iterator[None]:
    """Fail when the input in hand takes too long; other programs on the machine do not count."""
    began = time.process_time()
    yield
    spent = time.process_time() - began
    assert spent < CPU_MAX_S, f"{seed}: {spent:.1f} s"


@contextmanager
def telling(what: str, content: object) -> Iterator[None]:
    """Name the input when it fails."""
    try:
        yield
    except BaseException as error:
        error.add_note(f"{what}: {content!r:.3000}")
        raise


class MemoryWatch:
    """Compares how many objects live early in a run with its end."""

    def __init__(self) -> None:
        self._early: int | None = None

    def note(self) -> None:
        """Call once the caches are warm."""
        gc.collect()
        self._early = sys.getallocatedblocks()

    def check(self) -> None:
        """Fail when much more lives now."""
        assert self._early is not None, "nothing was noted early"
        gc.collect()
        late = sys.getallocatedblocks()
        assert late < self._early + BLOCKS_MAX, f"memory grew from {self._early} to {late} blocks"
