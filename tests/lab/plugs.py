"""Serial adapters of two kinds in the guest's sockets, alike for a test: QEMU's FTDI, and a CDC-ACM one over USB/IP."""

from __future__ import annotations

import sys
from typing import Protocol

from hil.endtoend.bench import Bench
from hil.lab.acm import AcmAdapter
from hil.lab.daemon import BY_ID
from hil.lab.machine import Machine
from hil.simulated.usb_bus import UsbBus


class Plug(Protocol):
    """One adapter. `link` is the name that udev gives it."""

    link: str

    def put_in(self) -> None: ...

    def pull(self) -> None: ...


class Ftdi:
    """`port` None: nothing hangs on it."""

    def __init__(self, machine: Machine, serial: str, port: int | None) -> None:
        self.link = f"usb-QEMU_QEMU_USB_SERIAL_{serial}-if00-port0"
        self._machine, self._serial, self._port = machine, serial, port

    def put_in(self) -> None:
        if self._port is None:
            self._machine.plug_stranger(self._serial.lower(), self._serial)
        else:
            self._machine.plug_serial(self._serial.lower(), self._serial, self._port)

    def pull(self) -> None:
        self._machine.pull(self._serial.lower())


class Acm:
    """`port` None: nothing hangs on it."""

    def __init__(self, machine: Machine, bench: Bench, bus: UsbBus, serial: str, port: int | None) -> None:
        self._adapter = AcmAdapter(bus, serial, port)
        self.link = self._adapter.link
        self._machine, self._bench, self._bus = machine, bench, bus

    def put_in(self) -> None:
        attach(self._machine, self._bus, self._bench.run(self._adapter.plug_in()))

    def pull(self) -> None:
        self._bench.run(self._adapter.pull())


def attach(machine: Machine, bus: UsbBus, busid: str) -> None:
    """Let the guest's kernel import a device of the bus."""
    machine.guest.run(["busybox", "modprobe", "vhci_hcd"])
    done = machine.guest.run([sys.executable, "-m", "hil.lab.attach", str(bus.server[1]), busid])
    assert done.code == 0, done.err


def await_path(machine: Machine, path: str) -> str:
    """Where a path of the guest leads, once it is there."""
    script = f"for step in $(seq 900); do [ -e {path} ] && exec readlink -f {path}; sleep 0.1; done; exit 1"
    done = machine.guest.run(["sh", "-c", script])
    assert done.code == 0, f"{path} is not there: {machine.guest.run(['dmesg']).out[-2000:]}"
    return done.out.strip()


def await_link(machine: Machine, plug: Plug) -> str:
    """The port that udev's link leads to, once it is there."""
    return await_path(machine, f"{BY_ID}/{plug.link}")


def await_no_link(machine: Machine, plug: Plug) -> None:
    """Wait until udev has taken the link of a pulled adapter away."""
    script = f"for step in $(seq 900); do [ -e {BY_ID}/{plug.link} ] || exit 0; sleep 0.1; done; exit 1"
    assert machine.guest.run(["sh", "-c", script]).code == 0, f"{plug.link} is still there"


def disconnected_at_s(machine: Machine) -> float:
    """When the guest's kernel last saw a plug pulled, by its own clock since it started."""
    lines = [line for line in machine.guest.run(["dmesg"]).out.splitlines() if "USB disconnect" in line]
    return float(lines[-1].split("]")[0].strip("[ "))
