"""Runs in the guest: lets the kernel import a device of a USB/IP server, as `usbip attach` does. Arguments: port of the host, socket.

The kernel takes the connection over and keeps it when this program ends; when the server closes it, the kernel's device is unplugged.
"""

from __future__ import annotations

import socket
import sys
from pathlib import Path
from typing import Final

from firmware_bridge.transport import usbip_wire as wire
from hil.lab.guest import HOST

CONTROLLER: Final = Path("/sys/devices/platform/vhci_hcd.0")
FREE: Final = "004"
"""The controller's word for a port that nothing hangs on (VDEV_ST_NULL)."""


def free_port(status: str) -> str:
    """Return the first free port for devices up to high speed, as the controller's table lists them."""
    for line in status.splitlines():
        hub, port, state, *_ = line.split()
        if hub == "hs" and state == FREE:
            return port
    raise OSError("no port of the virtual controller is free")


def attach(port: int, busid: str) -> None:
    """Import the device in this socket of the server."""
    with socket.create_connection((HOST, port)) as line:
        line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        line.sendall(wire.operation(wire.ASK_IMPORT, busid.encode().ljust(wire.BUSID_BYTES, b"\0")))
        _version, _code, status = wire.OPERATION.unpack(_exactly(line, wire.OPERATION.size))
        if status:
            raise OSError(f"the server has no device in {busid}")
        told = wire.parse_device(_exactly(line, wire.DEVICE.size))
        place = free_port((CONTROLLER / "status").read_text())
        (CONTROLLER / "attach").write_text(f"{int(place)} {line.fileno()} {told.id} {told.speed}")


def _exactly(line: socket.socket, size: int) -> bytes:
    content = b""
    while len(content) < size:
        chunk = line.recv(size - len(content))
        if not chunk:
            raise OSError("the server has closed the connection")
        content += chunk
    return content


if __name__ == "__main__":
    attach(int(sys.argv[1]), sys.argv[2])
