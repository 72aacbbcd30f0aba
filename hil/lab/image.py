"""What the guest starts from: kernel, first file system, and a layer of Debian's files that is laid over this machine's root.

Made once, in a folder that git ignores (remove it, and the next one has the newest kernel); a second caller waits for the first. The layer
holds only the modules that the lab needs, and udev, so nothing is installed on this machine.
"""

from __future__ import annotations

import fcntl
import shutil
import tempfile
from pathlib import Path
from typing import Final

import msgspec

from hil.lab import initramfs
from hil.lab.modules import FIRST, LATER, THEN, in_order, read_needs
from hil.lab.packages import TOOLS, LabError, fetch_packages, kernel_package, run, unpack

FORM: Final = 2
"""Rises when what is made changes."""
CACHE: Final = Path(__file__).parents[2] / ".lab"


class Image(msgspec.Struct, frozen=True):
    """A finished image; all paths are absolute."""

    kernel: str
    initramfs: str
    layer: str
    """Holds udev, libusb and the kernel modules that are loaded once the root is there, with the list of what each needs."""


def image(cache: Path = CACHE) -> Image:
    """Return the image that is there, or make it with the newest kernel of this Debian.

    Raises:
        LabError: it cannot be made.
    """
    cache.mkdir(parents=True, exist_ok=True)
    with (cache / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        done = sorted(cache.glob(f"form-{FORM}-*/image.json"))
        if done:
            return msgspec.json.decode(done[-1].read_bytes(), type=Image)
        name = kernel_package()
        folder = cache / f"form-{FORM}-{name}"
        shutil.rmtree(folder, ignore_errors=True)
        with tempfile.TemporaryDirectory(dir=cache) as work:
            made = _make(name, Path(work), folder)
        (folder / "image.json").write_bytes(msgspec.json.encode(made))
        return made


def _make(kernel: str, work: Path, folder: Path) -> Image:
    whole, layer = work / "kernel", folder / "layer"
    layer.mkdir(parents=True)
    for package in fetch_packages([kernel, *TOOLS], work / "packages"):
        unpack(package, whole if package.name.startswith("linux-image-") else layer)
    busybox = next((path for path in (layer / "usr/bin/busybox", layer / "usr/sbin/busybox") if path.is_file()), None)
    if busybox is None:
        raise LabError("lab-no-shell", "The package busybox-static holds no busybox.", "Choose another release of Debian.")
    version = kernel.removeprefix("linux-image-")
    run([str(busybox), "depmod", "-b", str(whole / "usr"), version])
    source = whole / "usr/lib/modules" / version
    needs = read_needs((source / "modules.dep").read_text())
    first, then = in_order(FIRST, needs), in_order((*THEN, *LATER), needs)
    below = layer / "usr/lib/modules" / version
    for path in then:
        (below / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source / path, below / path)
    early = {f"{number:02d}-{Path(path).name}": (source / path).read_bytes() for number, path in enumerate(first)}
    (folder / "initramfs").write_bytes(initramfs.pack(busybox.read_bytes(), early))
    shutil.copyfile(whole / "boot" / f"vmlinuz-{version}", folder / "kernel")
    second = layer / "usr/lib/lab-init"
    second.write_text(initramfs.SECOND)
    second.chmod(0o755)
    (below / "modules.dep").write_text("".join(f"{path}: {' '.join(needs[path])}\n" for path in then))
    return Image(str(folder / "kernel"), str(folder / "initramfs"), str(layer))
