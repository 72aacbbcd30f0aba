"""Who has a port is told by name, and of our own programs also by command."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from firmware_bridge.transport.holders import find_holder

HOLD = """
import sys
from pathlib import Path
Path("/proc/self/comm").write_text(sys.argv[1].rpartition("/")[2])
with open("port"):
    print("on", flush=True)
    sys.stdin.read()
"""


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["/opt/bin/shoed", "device", "send", "read_raw", "--times", "5"], "shoed device send"),
        (["/opt/bin/shoed", "run", "--config", "T1.toml"], "shoed run"),
        (["/usr/bin/minicom", "device", "send"], "minicom"),
    ],
)
def test_a_program_that_has_the_port_is_named(words: list[str], told: str, tmp_path: Path) -> None:
    port = tmp_path / "port"
    port.touch()
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, *words], cwd=tmp_path, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "on\n"
        assert find_holder(str(port)) == f"{told} (process {process.pid})"
        process.kill()
