"""Debian packages for the lab's guest: which, fetched by apt, unpacked into a folder. Nothing is installed on this machine.

apt decides where they come from and checks their signatures; what it is set up with is its own business.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from controller.errors import NotInOrderError

KERNEL: Final = "linux-image-amd64"
"""Names the newest kernel of this Debian; the cloud kernel has no USB serial drivers."""
TOOLS: Final = ("busybox-static", "udev", "libsystemd-shared", "libkmod2", "libusb-1.0-0")
"""The shell of the first minute; the links by id and what they need; what pyusb calls."""
FETCH_S: Final = 300.0
"""80 MB over a slow line."""
QUICK_S: Final = 60.0


class LabError(NotInOrderError):
    """The lab cannot be built, does not start or does not answer."""


def kernel_package() -> str:
    """Return the name of the package that holds the newest kernel, such as `linux-image-6.1.0-1-amd64`."""
    told = run(["apt-cache", "depends", "--no-recommends", "--no-suggests", KERNEL])
    names = [line.split()[-1] for line in told.splitlines() if "Depends: linux-image-" in line]
    if not names:
        raise LabError("lab-no-kernel", f"apt knows no package {KERNEL}.", "Run `apt-get update`, then try again.")
    return names[0]


def fetch_packages(names: Sequence[str], folder: Path) -> list[Path]:
    """Fetch packages into an empty folder and return their files.

    Raises:
        LabError: apt cannot get them.
    """
    folder.mkdir(parents=True)
    run(["apt-get", "download", "--quiet", "-o", "APT::Sandbox::User=root", *names], folder, FETCH_S)
    return sorted(folder.glob("*.deb"))


def unpack(package: Path, folder: Path) -> None:
    """Unpack a package. What it has in `/lib` and `/sbin` comes to lie in `/usr`, as on a machine where those are links."""
    run(["dpkg-deb", "--extract", str(package), str(folder)], timeout_s=FETCH_S)
    for name in ("lib", "sbin", "bin"):
        outside = folder / name
        if outside.is_dir() and not outside.is_symlink():
            shutil.copytree(outside, folder / "usr" / name, symlinks=True, dirs_exist_ok=True)
            shutil.rmtree(outside)


def run(command: Sequence[str], folder: Path | None = None, timeout_s: float = QUICK_S) -> str:
    """Run a program and return what it printed.

    Raises:
        LabError: it is not there, failed or took too long.
    """
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=timeout_s, check=False)  # noqa: S603
    except FileNotFoundError as error:
        raise LabError("lab-no-program", f"There is no program {command[0]}.", "The lab needs Debian with apt and dpkg.") from error
    except subprocess.TimeoutExpired as error:
        raise LabError("lab-slow", f"{command[0]} took longer than {timeout_s:g} s.", "Look at the network, then try again.") from error
    if done.returncode != 0:
        last = (done.stderr.strip().splitlines() or ["(it said nothing)"])[-1]
        raise LabError("lab-program-failed", f"{' '.join(command[:2])} failed: {last}.", "Run `apt-get update`, then try again.")
    return done.stdout
