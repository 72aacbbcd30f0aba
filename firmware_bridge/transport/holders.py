"""Which process has a port open, as far as the system lets this account see it."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Final

PROC: Final = Path("/proc")


def find_holder(path: str, *, besides_us: bool = False) -> str | None:
    """Return `name (process N)` of a process that has the port open, another one first; None where none can be seen."""
    return find_holders([path], besides_us=besides_us).get(path)


def find_holders(paths: Iterable[str], *, besides_us: bool = False) -> dict[str, str]:
    """Return the holders of those ports that have one, in one look at all processes; `besides_us` passes over our own."""
    nodes = {node: path for path in paths if (node := _node_of(Path(path))) is not None}
    found: dict[str, str] = {}
    for process in _processes(besides_us=besides_us) if nodes else ():
        try:
            held = {nodes[node] for link in (process / "fd").iterdir() if (node := _node_of(link)) in nodes and node is not None}
            if held:
                words = f"{(process / 'comm').read_text().strip()} (process {process.name})"
                found = {**dict.fromkeys(held, words), **found}
        except OSError:
            continue  # not ours to look into, or already gone
    return found


def _processes(*, besides_us: bool) -> list[Path]:
    """Other processes first, our own last."""
    own = str(os.getpid())
    try:
        found = [entry for entry in PROC.iterdir() if entry.name.isdigit()]
    except OSError:
        return []
    return sorted((entry for entry in found if not (besides_us and entry.name == own)), key=lambda entry: entry.name == own)


def _node_of(path: Path) -> tuple[int, int] | None:
    """What a path leads to. Names would not do: containers have ports of the same name that are others."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino
