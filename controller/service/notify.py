"""Tells systemd how the daemon is: one datagram per message to the socket that it names (sd_notify(3)).

Without that socket (started by hand) every call does nothing. A message that cannot be sent is lost without effect: the
service manager's own time limits then decide, as they should.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Mapping
from typing import Final

WATCHDOG_SHARE: Final = 3
"""A sign of life is sent this many times per watchdog time, so that one late turn of the loop is no death."""


class Notifier:
    """The way to the service manager. Made once per process."""

    def __init__(self, environment: Mapping[str, str] = os.environ) -> None:
        self._address = _address(environment.get("NOTIFY_SOCKET", ""))
        self._watchdog_s = _watchdog_s(environment)

    @property
    def interval_s(self) -> float | None:
        """Seconds between two signs of life, or None when nobody watches."""
        return None if self._address is None or self._watchdog_s is None else self._watchdog_s / WATCHDOG_SHARE

    def ready(self, status: str) -> None:
        """Start-up is complete."""
        self._send(f"READY=1\nSTATUS={_one_line(status)}")

    def status(self, status: str) -> None:
        """Show a line in `systemctl status`."""
        self._send(f"STATUS={_one_line(status)}")

    def alive(self) -> None:
        """All tables are served: reset the watchdog."""
        self._send("WATCHDOG=1")

    def reloading(self, monotonic_us: int) -> None:
        """A SIGHUP is being served; `ready` ends it."""
        self._send(f"RELOADING=1\nMONOTONIC_USEC={monotonic_us}")

    def stopping(self) -> None:
        """The daemon has begun to stop."""
        self._send("STOPPING=1\nSTATUS=stopping")

    def _send(self, message: str) -> None:
        if self._address is None:
            return
        try:
            with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as way:
                way.setblocking(False)
                way.sendto(message.encode(), self._address)
        except OSError:
            return  # the service manager is gone or its buffer is full: its watchdog is the answer to both


def _address(text: str) -> str | None:
    if text.startswith("@"):
        return "\0" + text[1:]  # Linux's abstract namespace
    return text if text.startswith("/") else None


def _watchdog_s(environment: Mapping[str, str]) -> float | None:
    """Return the watchdog time meant for this very process."""
    text, process = environment.get("WATCHDOG_USEC", ""), environment.get("WATCHDOG_PID", "")
    if not (text.isascii() and text.isdigit()) or int(text) == 0 or process not in ("", str(os.getpid())):
        return None
    return int(text) / 1e6


def _one_line(text: str) -> str:
    return " ".join(text.split())
