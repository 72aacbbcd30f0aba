"""Which process has a port open, as far as the system lets this account see it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from itertools import islice, takewhile
from pathlib import Path
from typing import Final

PROC: Final = "/proc"
OURS: Final = "shoed"
WORDS_MAX: Final = 2
"""A group and its command, such as `device send`."""


def find_holder(path: str, *, besides_us: bool = False) -> str | None:
    """Return `name (process N)` of each process that has the port open, others first; None where none can be seen."""
    return find_holders([path], besides_us=besides_us).get(path)


def find_holders(paths: Iterable[str], *, besides_us: bool = False) -> dict[str, str]:
    """Return the holders of those ports that have one, in one look at all processes; `besides_us` passes over our own."""
    nodes = {node: path for path in paths if (node := _node_of(path)) is not None}
    found: dict[str, list[str]] = {}
    for process in _processes(besides_us=besides_us) if nodes else ():
        held = {nodes[node] for node in _open_in(process) if node in nodes}
        name = f"{_name_of(process)} (process {process})" if held else ""
        for path in held:
            found.setdefault(path, []).append(name)
    return {path: " and ".join(names) for path, names in found.items()}


def _processes(*, besides_us: bool) -> list[str]:
    """The numbers of other processes first, our own last."""
    own = str(os.getpid())
    found = [name for name in _names_in(PROC) if name.isdigit() and not (besides_us and name == own)]
    return sorted(found, key=lambda name: name == own)


def _open_in(process: str) -> Iterator[tuple[int, int]]:
    """What a process has open; nothing of one that is not ours to look into, or has ended in this moment."""
    folder = f"{PROC}/{process}/fd"
    for name in _names_in(folder):
        node = _node_of(f"{folder}/{name}")
        if node is not None:
            yield node


def _names_in(folder: str) -> list[str]:
    try:
        return os.listdir(folder)  # noqa: PTH208  # thousands of names: objects for paths would take four times as long
    except OSError:
        return []


def _node_of(path: str) -> tuple[int, int] | None:
    """What a path leads to. Names would not do: containers have ports of the same name that are others."""
    try:
        found = os.stat(path)  # noqa: PTH116  # as above
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _name_of(process: str) -> str:
    """The name of a program; of ours also which command, so that a technician learns of the other one."""
    try:
        name = Path(PROC, process, "comm").read_text().strip()
        words = Path(PROC, process, "cmdline").read_text("utf-8", "replace").split("\0") if name == OURS else []
    except OSError:
        return "a program that has just ended"
    at = next((index for index, word in enumerate(words) if word.rpartition("/")[2] == OURS), len(words))
    commands = takewhile(str.isalpha, words[at + 1 :])
    return " ".join([name, *islice(commands, WORDS_MAX)])
