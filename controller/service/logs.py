"""The log: what is unusual, one rich event per happening, for people at a terminal or for programs.

The journal is the record; one log line costs as much as twenty verdicts, so ordinary cards write none. Nothing here
knows a card: acts are logged by name, and a `Sealed` that slips in has no text that tells it.

A log that cannot be written (disk full, file removed) loses lines and counts them; it never stops a table.
"""

from __future__ import annotations

import logging
import sys
from pathlib import Path
from typing import BinaryIO, Final

import msgspec
import structlog
from structlog.typing import FilteringBoundLogger, Processor

from controller.service.config import LogFormat
from controller.service.errors import StartError

LEVELS: Final = {
    "debug": logging.DEBUG,
    "info": logging.INFO,
    "warning": logging.WARNING,
    "error": logging.ERROR,
}

Logger = FilteringBoundLogger


class LogFile:
    """A stream that log lines go to; it can be opened anew under the same name, and swallows no error silently."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._stream: BinaryIO = sys.stderr.buffer if path is None else path.open("ab", buffering=0)
        self.lost_lines = 0

    @property
    def is_terminal(self) -> bool:
        """True when a person reads along."""
        return self._stream.isatty()

    def write(self, line: bytes) -> int:
        """Write one line, or count it as lost."""
        try:
            return self._stream.write(line)
        except (OSError, ValueError):
            self.lost_lines += 1
            return 0

    def flush(self) -> None:
        """Hand the lines to the system."""
        try:
            self._stream.flush()
        except (OSError, ValueError):
            self.lost_lines += 1

    def reopen(self) -> None:
        """Open the file anew: somebody has moved the old one away. Standard error stays as it is."""
        if self._path is None:
            return
        try:
            fresh = self._path.open("ab", buffering=0)
        except OSError:
            self.lost_lines += 1  # the old file still takes lines, under whatever name it has now
            return
        self._stream.close()
        self._stream = fresh

    def close(self) -> None:
        """Close the file; standard error stays open."""
        if self._path is not None:
            self._stream.close()


def open_log(path: Path | None, style: LogFormat, level: str) -> tuple[Logger, LogFile]:
    """Return the daemon's logger and its file; lines of the libraries go there too.

    Raises:
        StartError: when the file cannot be opened.
    """
    try:
        file = LogFile(path)
    except OSError as error:
        raise StartError(
            "log-not-writable",
            f"The log file {path} cannot be opened: {error.strerror}.",
            "Mend that, or leave it out.",
        ) from error
    pretty = style is LogFormat.PRETTY or (style is LogFormat.AUTO and file.is_terminal)
    logger = make_logger(file, level, pretty=pretty)
    _adopt_library_lines(logger)
    return logger, file


def make_logger(file: LogFile, level: str, *, pretty: bool) -> Logger:
    """Return a logger whose lines below `level` cost a call of an empty function."""
    made: Logger = structlog.wrap_logger(
        structlog.BytesLogger(file),  # type: ignore[arg-type]  # it needs `write` and `flush` only
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            *_renderers(pretty=pretty),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(LEVELS[level]),
        cache_logger_on_first_use=True,
    ).bind()
    return made


def _renderers(*, pretty: bool) -> list[Processor]:
    if pretty:
        console = structlog.dev.ConsoleRenderer(colors=False, pad_event_to=28)
        return [console, _as_bytes]
    return [structlog.processors.JSONRenderer(serializer=_encode_json)]


def _as_bytes(_logger: object, _method: str, line: object) -> bytes:
    return str(line).encode("utf-8", "backslashreplace")


def _encode_json(event: object, **_options: object) -> bytes:
    return msgspec.json.encode(event, enc_hook=repr)


class _LibraryLines(logging.Handler):
    """Passes warnings of asyncio, uvicorn and others on as events of our log."""

    def __init__(self, logger: Logger) -> None:
        super().__init__(logging.WARNING)
        self._logger = logger

    def emit(self, record: logging.LogRecord) -> None:
        fields = {"source": record.name, "text": record.getMessage()}
        if record.levelno >= logging.ERROR:
            self._logger.error("library-error", exc_info=record.exc_info or None, **fields)
        else:
            self._logger.warning("library-warning", **fields)


def _adopt_library_lines(logger: Logger) -> None:
    root = logging.getLogger()
    root.handlers[:] = [_LibraryLines(logger)]
    root.setLevel(logging.WARNING)
