"""The guest's first file system: a shell, some kernel modules and one script, packed as the kernel wants it (cpio, `newc`)."""

from __future__ import annotations

import gzip
from collections.abc import Mapping
from typing import Final

INIT: Final = """#!/bin/busybox sh
# Mounts this machine's own root read-only with a layer above it, and goes on in Python there.
/bin/busybox --install -s /bin
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs devtmpfs /dev
for module in /modules/*; do insmod "$module" || echo "lab: no $module"; done
for share in host layer; do mount -t 9p -o ro,trans=virtio,version=9p2000.L,cache=loose,msize=512000 $share /$share; done
mount -t tmpfs tmpfs /above
mkdir /above/layer /above/work
mount -t overlay -o "lowerdir=/layer:/host,upperdir=/above/layer,workdir=/above/work" overlay /new
for part in proc sys dev; do mount --move /$part /new/$part; done
mount -t tmpfs tmpfs /new/run
mount -t tmpfs tmpfs /new/tmp
mkdir -p /new/dev/pts && mount -t devpts devpts /new/dev/pts
exec switch_root /new /usr/lib/lab-init
"""
SECOND: Final = """#!/bin/sh
exec "$LAB_PYTHON" -u -m hil.lab.guest
"""
"""What goes on in the root: a program of its own, because `switch_root` takes the options of what it is given for its own."""
FOLDERS: Final = ("bin", "proc", "sys", "dev", "host", "layer", "above", "new", "modules")


def pack(busybox: bytes, modules: Mapping[str, bytes]) -> bytes:
    """Return the packed file system; modules are loaded in the order of their names."""
    entries = [(folder, 0o040755, b"") for folder in FOLDERS]
    entries += [("bin/busybox", 0o100755, busybox), ("init", 0o100755, INIT.encode())]
    entries += [(f"modules/{name}", 0o100644, content) for name, content in modules.items()]
    archive = b"".join(_entry(number, *entry) for number, entry in enumerate(entries, 1)) + _entry(0, "TRAILER!!!", 0, b"")
    return gzip.compress(archive, compresslevel=1, mtime=0)


def _entry(number: int, name: str, mode: int, content: bytes) -> bytes:
    """One file: a head of thirteen numbers in hexadecimal, the name and the content, each filled up to four bytes."""
    encoded = name.encode() + b"\0"
    numbers = (number, mode, 0, 0, 1, 0, len(content), 0, 0, 0, 0, len(encoded), 0)
    head = b"070701" + b"".join(b"%08X" % value for value in numbers) + encoded
    return _filled(head) + _filled(content)


def _filled(part: bytes) -> bytes:
    return part + bytes(-len(part) % 4)
