"""The command line for a process whose life is tied to the one that started it.

What a test, a demonstration or a measurement starts must not outlive it, however that one ends: a daemon that is left behind takes ports
that are somebody else's by then. Where the starter is gone, the process asks itself to end, as an operator would.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from typing import Final

LOOK_S: Final = 1.0
"""How often it is looked whether the starter is still there: nobody waits for it."""


def tied_command(*words: str) -> list[str]:
    """Return the command that runs `shoed` with these words until it ends, or until this process does."""
    return [sys.executable, "-m", "hil.endtoend.tied", str(os.getpid()), *words]


def _end_with(starter: int) -> None:
    while os.getppid() == starter:
        time.sleep(LOOK_S)
    os.kill(os.getpid(), signal.SIGTERM)


def main() -> None:
    """`python -m hil.endtoend.tied STARTER WORDS...`: the number of the starting process, and the words of `shoed`."""
    starter = int(sys.argv.pop(1))
    threading.Thread(target=_end_with, args=(starter,), name="tied to its starter", daemon=True).start()
    from controller.cli.main import main as shoed  # noqa: PLC0415  # imported under watch: half a second, in which the starter can end

    shoed()


if __name__ == "__main__":
    main()
