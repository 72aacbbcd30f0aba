"""What runs first in the guest: brings up network, drivers and udev, then does what the host asks over one connection.

The host is on the other side of QEMU's own network, at `HOST`; it gives the port in the environment. Requests are JSON, one a line, each
answered with its number: `run` a program to its end, `start` one and `stop` it, `read` and `write` files, `relay` a port of this machine's
own loopback to the outside. Whatever fails is told in the answer, so that the host's test says it.
"""

from __future__ import annotations

import asyncio
import base64
import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import BinaryIO, Final

from hil.lab.modules import THEN

HOST: Final = "10.0.2.2"
OWN: Final = "10.0.2.15"
"""QEMU's user network: the host, and the only address that it gives."""
BUSYBOX: Final = "busybox"
UDEV: Final = "/usr/lib/systemd/systemd-udevd"
LINE_BYTES: Final = 64 * 1024 * 1024
"""A journal or a log in base64."""
GRACE_S: Final = 10.0
"""As long as a program that was asked to end may take."""


class Guest:
    """The programs and relays of this guest."""

    def __init__(self) -> None:
        self._programs: dict[int, asyncio.subprocess.Process] = {}
        self._relays: list[asyncio.Server] = []

    async def do(self, asked: Mapping[str, object]) -> Mapping[str, object]:
        """Do one thing and return what came of it."""
        match asked["do"]:
            case "run":
                return await self._run(asked)
            case "start":
                return await self._start(asked)
            case "stop":
                return await self._stop(int(str(asked["pid"])), int(str(asked["signal"])))
            case "read":
                return _read(Path(str(asked["path"])))
            case "write":
                return _write(Path(str(asked["path"])), base64.b64decode(str(asked["content"])))
            case "relay":
                return await self._relay(int(str(asked["outside"])), int(str(asked["inside"])))
            case other:
                raise ValueError(f"the guest cannot {other}")

    async def _run(self, asked: Mapping[str, object]) -> Mapping[str, object]:
        command, timeout_s = _command(asked), float(str(asked["timeout_s"]))
        program = await asyncio.create_subprocess_exec(
            *command, stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
        )
        try:
            async with asyncio.timeout(timeout_s):
                out, err = await program.communicate()
        except TimeoutError:
            program.kill()
            out, err = await program.communicate()
            err += f"\n(ended after {timeout_s:g} s)".encode()
        return {"code": program.returncode, "out": out.decode(errors="replace"), "err": err.decode(errors="replace")}

    async def _start(self, asked: Mapping[str, object]) -> Mapping[str, object]:
        with _appended(Path(str(asked["log"]))) as log:
            program = await asyncio.create_subprocess_exec(*_command(asked), stdin=asyncio.subprocess.DEVNULL, stdout=log, stderr=log)
        self._programs[program.pid] = program
        return {"pid": program.pid}

    async def _stop(self, pid: int, signal: int) -> Mapping[str, object]:
        program = self._programs.pop(pid)
        if program.returncode is None:
            program.send_signal(signal)
        try:
            async with asyncio.timeout(GRACE_S):
                return {"code": await program.wait()}
        except TimeoutError:
            program.kill()
            await program.wait()
            return {"code": None}

    async def _relay(self, outside: int, inside: int) -> Mapping[str, object]:
        async def relay(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            far_reader, far_writer = await asyncio.open_connection("127.0.0.1", inside)
            await asyncio.gather(_pump(reader, far_writer), _pump(far_reader, writer))

        for server in self._relays:
            server.close()
        self._relays = [await asyncio.start_server(relay, OWN, outside)]
        return {}


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while chunk := await reader.read(65536):
            writer.write(chunk)
            await writer.drain()
    except ConnectionError:
        return  # one side is gone: the other is closed as well
    finally:
        writer.close()


def _read(path: Path) -> Mapping[str, object]:
    return {"content": base64.b64encode(path.read_bytes()).decode()}


def _write(path: Path, content: bytes) -> Mapping[str, object]:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return {}


def _appended(path: Path) -> BinaryIO:
    return path.open("ab")


def _command(asked: Mapping[str, object]) -> list[str]:
    command = asked["command"]
    if not isinstance(command, list):
        raise TypeError("a command is a list")
    return [str(word) for word in command]


async def serve(port: int) -> None:
    """Answer the host until it goes."""
    reader, writer = await asyncio.open_connection(HOST, port, limit=LINE_BYTES)
    guest, tasks = Guest(), set[asyncio.Task[None]]()

    async def answer(asked: Mapping[str, object]) -> None:
        try:
            done = await guest.do(asked)
        except Exception as error:  # noqa: BLE001  # the outermost frame of a request: the host's test tells it
            done = {"failed": f"{type(error).__name__}: {error}"}
        writer.write(json.dumps({"id": asked["id"], **done}).encode() + b"\n")
        await writer.drain()

    while line := await reader.readline():
        task = asyncio.create_task(answer(json.loads(line)))
        tasks.add(task)
        task.add_done_callback(tasks.discard)


def prepare() -> None:
    """Load the drivers, bring up the network, and let udev make its links."""
    for module in THEN:
        _call(BUSYBOX, "modprobe", module)
    for command in (
        ["ifconfig", "lo", "127.0.0.1", "up"],
        ["ifconfig", "eth0", OWN, "netmask", "255.255.255.0", "up"],
        ["hostname", "lab"],
    ):
        _call(BUSYBOX, *command)
    if Path(UDEV).exists():
        _call(UDEV, "--daemon")
        _call("udevadm", "trigger", "--action=add")


def _call(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603  # the guest's own tools
    if done.returncode != 0:
        sys.stderr.write(f"lab: {' '.join(command)}: {done.stderr.strip()}\n")


def main() -> None:
    """Be the first process of the guest."""
    os.environ["PATH"] = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
    prepare()
    asyncio.run(serve(int(os.environ["LAB_PORT"])))
    _call(BUSYBOX, "poweroff", "-f")


if __name__ == "__main__":
    main()
