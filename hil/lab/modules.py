"""Kernel modules: which of them the guest needs, what those need, and in which order they are loaded."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Final

FIRST: Final = ("virtio_pci", "9pnet_virtio", "9p", "overlay")
"""Before there is a root: the machine's own bus, the shared folder, the layer above it that takes what is written."""
THEN: Final = ("virtio_net", "xhci_pci", "ftdi_sio", "cdc_acm", "usbhid", "hid_generic")
"""Network; the USB controller; the drivers under test."""
LATER: Final = ("vhci_hcd",)
"""USB over IP: its eight controllers take an emulated machine seconds, so they come when a test wants them."""


def in_order(wanted: Iterable[str], needs: dict[str, list[str]]) -> list[str]:
    """Return the paths of these modules and of all that they need, each after what it needs. A module that is built in has none."""
    paths = {Path(path).name.removesuffix(".ko").replace("-", "_"): path for path in needs}
    ordered: list[str] = []
    for name in wanted:
        path = paths.get(name.replace("-", "_"))
        if path is None:
            continue
        for each in [*reversed(needs[path]), path]:
            if each not in ordered:
                ordered.append(each)
    return ordered


def read_needs(modules_dep: str) -> dict[str, list[str]]:
    """Return path: paths of everything that the module needs, the farthest last, as `depmod` lists them."""
    needs: dict[str, list[str]] = {}
    for line in modules_dep.splitlines():
        path, _, rest = line.partition(":")
        needs[path] = rest.split()
    return needs
