"""The service manager hears one datagram per message, and only the process that it means sends signs of life."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from controller.service.notify import WATCHDOG_SHARE, Notifier


@pytest.fixture
def manager(tmp_path: Path) -> Iterator[socket.socket]:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listener:
        listener.bind(str(tmp_path / "notify"))
        listener.setblocking(False)
        yield listener


def test_each_message_is_one_datagram(manager: socket.socket) -> None:
    notifier = Notifier({"NOTIFY_SOCKET": manager.getsockname(), "WATCHDOG_USEC": "6000000"})
    assert notifier.interval_s == 6.0 / WATCHDOG_SHARE
    notifier.ready("serving\nT1")
    notifier.alive()
    notifier.reloading(17)
    notifier.stopping()
    assert [manager.recv(200).decode() for _ in range(4)] == [
        "READY=1\nSTATUS=serving T1",
        "WATCHDOG=1",
        "RELOADING=1\nMONOTONIC_USEC=17",
        "STOPPING=1\nSTATUS=stopping",
    ]


def test_an_abstract_address_works() -> None:
    name = f"shoed-test-{os.getpid()}"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listener:
        listener.bind(f"\0{name}")
        Notifier({"NOTIFY_SOCKET": f"@{name}"}).status("well")
        assert listener.recv(100) == b"STATUS=well"


@pytest.mark.parametrize(
    "environment",
    [
        {},
        {"NOTIFY_SOCKET": "vsock:2:1", "WATCHDOG_USEC": "1000000"},
        {"NOTIFY_SOCKET": "/nowhere", "WATCHDOG_USEC": "0"},
        {"NOTIFY_SOCKET": "/nowhere", "WATCHDOG_USEC": "soon"},
        {"NOTIFY_SOCKET": "/nowhere", "WATCHDOG_USEC": "1000000", "WATCHDOG_PID": "1"},
    ],
)
def test_nobody_watches(environment: dict[str, str]) -> None:
    notifier = Notifier(environment)
    assert notifier.interval_s is None
    notifier.ready("x")  # nobody listens, nothing happens
