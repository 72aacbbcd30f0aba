"""What can stop the daemon, told to a person.

By what the caller can do next: a `ConfigError` is mended in the configuration file, a `StartError` in the world around
it (a port, a key file, the disk, the program itself), a `BusyError` by asking again in a moment, and a `RequestError`
in the request that was sent to the API.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from controller.errors import ShoedError

TOLD_MAX: Final = 300
"""Characters of a key's path, and of a sentence about it: whatever the file holds, the error fits on a screen."""


class ServiceError(ShoedError):
    """Root of what the service raises on purpose."""


class ConfigError(ServiceError):
    """A value in the configuration file that cannot be used. `key` is its path inside the file, empty for the file."""

    def __init__(self, code: str, file: Path, key: str, sentence: str, do: str) -> None:
        told = f"{_shortened(key)}: {_shortened(sentence)}" if key else _shortened(sentence)
        super().__init__(code, f"{file}: {told}", do)
        self.file = file
        self.key = key


class StartError(ServiceError):
    """The configuration is good and what it names is not: a port, a key file, a place on disk, the program."""


class BusyError(ServiceError):
    """Too much is waiting already; the same request may be sent again in a moment."""


class StoppingError(ServiceError):
    """The daemon is about to end: the act may have been taken or not, which the entries tell after the next start."""

    def __init__(self, table: str) -> None:
        super().__init__(
            "daemon-stopping",
            f"The daemon ends; whether table {table} has taken this act is told by its entries after the next start.",
            "Read the entries once the daemon runs again, and send the act again if it is not among them.",
        )


class RequestError(ServiceError):
    """A request to the API that cannot be understood. `where` is the place inside its body."""

    def __init__(self, code: str, what: str, do: str, where: str = "", status: int = 400) -> None:
        super().__init__(code, what, do)
        self.where = where
        self.status = status


def _shortened(text: str) -> str:
    return text if len(text) <= TOLD_MAX else f"{text[: TOLD_MAX - 3]}..."
