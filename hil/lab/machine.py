"""The lab's machine: QEMU with a USB controller, started once, and what a test may do with it from outside.

Everything here happens at the machine's plugs: devices are put in and pulled out by QEMU's monitor, which is a real hot-unplug for the
guest's kernel. What happens inside goes through `guest`. The machine ends with its context, whatever happened.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from hil.lab.image import Image
from hil.lab.link import GuestLink
from hil.lab.packages import LabError
from hil.lab.qmp import Monitor

QEMU: Final = "qemu-system-x86_64"
BOOT_S: Final = 300.0
"""Under ninety seconds where everything is emulated; a loaded machine may be three times slower."""
EMULATED_CPU: Final = "qemu64,+ssse3,+sse4.1,+sse4.2,+popcnt"
"""What Debian's programs need and no more: wide registers cost an emulator much. One processor, since two wait for each other."""
MEMORY_MB: Final = 768
RELAYED: Final = 7_000
"""The guest's port that the host reaches."""


def missing() -> str | None:
    """Return why there can be no lab on this machine, in words; None when there can."""
    for program in (QEMU, "apt-get", "dpkg-deb"):
        if shutil.which(program) is None:
            return f"there is no {program} here: install qemu-system-x86 on Debian"
    return None


def kvm_is_real() -> bool:
    """Return whether a guest with a kernel of its own choice may be accelerated.

    A machine that is itself a guest may have a `/dev/kvm` that takes none but guests made for it; others hang in it without a word.
    """
    modules = Path("/sys/module")
    return os.access("/dev/kvm", os.R_OK | os.W_OK) and any((modules / name).exists() for name in ("kvm_intel", "kvm_amd"))


class Machine:
    """A running machine; made by `run_machine`."""

    def __init__(self, process: subprocess.Popen[bytes], monitor: Monitor, guest: GuestLink, relayed: int) -> None:
        self.process, self.monitor, self.guest = process, monitor, guest
        self.relayed = relayed
        """The host's port that leads to the one that the guest relays."""
        self.boot_s = 0.0
        self.accelerator = ""

    def plug_serial(self, name: str, serial: str, port: int) -> None:
        """Put in an FTDI adapter whose wire ends at a TCP port of this host."""
        backend = {"type": "socket", "data": {"addr": _inet(port), "server": False, "nodelay": True, "reconnect": 1}}
        self.monitor.command("chardev-add", id=f"{name}-wire", backend=backend)
        self._plug_adapter(name, serial)

    def plug_stranger(self, name: str, serial: str) -> None:
        """Put in an adapter that nothing hangs on."""
        self.monitor.command("chardev-add", id=f"{name}-wire", backend={"type": "null", "data": {}})
        self._plug_adapter(name, serial)

    def _plug_adapter(self, name: str, serial: str) -> None:
        wire, place = f"{name}-wire", "usb.0"
        self.monitor.command("device_add", driver="usb-serial", id=name, chardev=wire, serial=serial, bus=place, always_plugged=True)

    def pull(self, name: str) -> None:
        """Pull a device out. The guest's kernel notices when this returns or soon after."""
        self.monitor.command("device_del", id=name)
        self.monitor.wait_event("DEVICE_DELETED", name)
        self.monitor.command("chardev-remove", id=f"{name}-wire")


@contextlib.contextmanager
def run_machine(image: Image, folder: Path) -> Iterator[Machine]:
    """Start the machine and wait until its guest answers; `folder` takes the console and the monitor's socket.

    Raises:
        LabError: it does not come up.
    """
    folder.mkdir(parents=True, exist_ok=True)
    console, monitor_path, began_s = folder / "console.log", folder / "qmp", time.monotonic()
    with socket.create_server(("127.0.0.1", 0)) as door:
        port, relayed = door.getsockname()[1], _free_port()
        accelerator = "kvm" if kvm_is_real() else "tcg"
        command = [QEMU, "-accel", accelerator, *_hardware(image, accelerator, port, relayed, console, monitor_path)]
        with (folder / "qemu.log").open("wb") as log:
            process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)  # noqa: S603  # our own machine
        try:
            guest = _answering(process, door, console)
            with contextlib.closing(guest), contextlib.closing(Monitor(monitor_path)) as monitor:
                machine = Machine(process, monitor, guest, relayed)
                machine.boot_s, machine.accelerator = time.monotonic() - began_s, accelerator
                yield machine
        finally:
            process.kill()
            process.wait()


def _hardware(image: Image, accelerator: str, port: int, relayed: int, console: Path, monitor: Path) -> list[str]:
    environment = [
        f"LAB_PORT={port}",
        f"LAB_PYTHON={sys.executable}",
        f"PYTHONPATH={Path(__file__).parents[2]}",
        "PYTHONDONTWRITEBYTECODE=1",
    ]
    cpu = "max" if accelerator == "kvm" else EMULATED_CPU
    kernel = ["console=ttyS0", "panic=-1", "net.ifnames=0", "mitigations=off", *environment]
    return [
        "-machine", "q35", "-cpu", cpu, "-smp", "1", "-m", str(MEMORY_MB), "-nodefaults", "-no-user-config", "-display", "none",
        "-no-reboot",
        "-kernel", image.kernel, "-initrd", image.initramfs, "-append", " ".join(kernel),
        "-serial", f"file:{console}",
        "-qmp", f"unix:{monitor},server=on,wait=off",
        "-virtfs", "local,path=/,mount_tag=host,security_model=none,readonly=on,multidevs=remap",
        "-virtfs", f"local,path={image.layer},mount_tag=layer,security_model=none,readonly=on",
        "-netdev", f"user,id=net,hostfwd=tcp:127.0.0.1:{relayed}-:{RELAYED}", "-device", "virtio-net-pci,netdev=net,romfile=",
        "-device", "qemu-xhci,id=usb",
    ]  # fmt: skip


def _answering(process: subprocess.Popen[bytes], door: socket.socket, console: Path) -> GuestLink:
    deadline = time.monotonic() + BOOT_S
    door.settimeout(0.2)
    while time.monotonic() < deadline:
        try:
            line, _ = door.accept()
        except TimeoutError:
            if process.poll() is not None:
                raise LabError("lab-ended", f"QEMU ended with code {process.returncode}.", f"Look at {console.parent}.") from None
            continue
        return GuestLink(line)
    tail = console.read_bytes()[-1000:].decode(errors="replace") if console.exists() else ""
    raise LabError("lab-silent", f"The guest did not answer within {BOOT_S:g} s. Its console ends with:\n{tail}\n", "Look at its console.")


def _inet(port: int) -> dict[str, object]:
    return {"type": "inet", "data": {"host": "127.0.0.1", "port": str(port)}}


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        found = taken.getsockname()[1]
    assert isinstance(found, int)
    return found
