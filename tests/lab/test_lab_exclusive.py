"""A port of a real driver is ours alone: the kernel keeps out programs that do not ask, the lock those that do, and both are told."""

from __future__ import annotations

import pytest

from hil.lab.machine import Machine
from tests.lab.plugs import Ftdi, await_link

pytestmark = [pytest.mark.lab, pytest.mark.timeout(1800)]

HOLD = """
import asyncio, os, subprocess, sys
from firmware_bridge.transport.base import PortBusyError
from firmware_bridge.transport.serial import SerialTransport

async def hold(path):
    transport = SerialTransport(path)
    await transport.open(lambda chunk: None, lambda error: None)
    os.chmod(path, 0o666)
    stranger = "import os, sys; os.setuid(65534); os.open(sys.argv[1], os.O_RDWR | os.O_NONBLOCK)"
    print(subprocess.run([sys.executable, "-c", stranger, path], capture_output=True, text=True).stderr.splitlines()[-1])
    try:
        await SerialTransport(path).open(lambda chunk: None, lambda error: None)
    except PortBusyError as error:
        print(error)
    await transport.close()
    print(subprocess.run([sys.executable, "-c", stranger, path], capture_output=True, text=True).returncode)

asyncio.run(hold(sys.argv[1]))
"""


@pytest.mark.requirement("EQ-57")
def test_a_port_in_use_keeps_others_out_and_names_its_holder(machine: Machine) -> None:
    plug = Ftdi(machine, "ALONE", None)
    plug.put_in()
    path = await_link(machine, plug)
    stranger, own, *_, after = machine.guest.python(HOLD, path).splitlines()
    assert "Device or resource busy" in stranger
    assert path in own
    assert "python" in own
    assert after == "0"
    plug.pull()
