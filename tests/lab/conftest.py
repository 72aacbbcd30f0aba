"""The lab's machine, started once for all its tests. Where there can be none, they are skipped with the reason."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest

from hil.lab.image import image
from hil.lab.machine import Machine, missing, run_machine


@pytest.fixture(scope="session")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machine]:
    reason = missing()
    if reason is not None:
        pytest.skip(reason)
    folder = tmp_path_factory.mktemp("machine")
    with run_machine(image(), folder) as running:
        sys.stdout.write(f"\nlab: the guest answered after {running.boot_s:.1f} s ({running.accelerator}); its console is in {folder}\n")
        yield running
