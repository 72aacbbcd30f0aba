"""A daemon whose API nobody can find is told with what to write, and not with the name of an exception."""

from __future__ import annotations

from pathlib import Path

import pytest

from controller.service.config_file import load_config
from controller.technician.errors import TechnicianError
from controller.technician.holder import read_daemon

CONFIG = """
config = 1
journal = { path = "journal.db", key_file = "keys.json" }
[[table]]
id = "T1"
game = "minibaccarat"
method = "manual-shoe"
[[table.device]]
name = "shoe"
kind = "shoe"
port = "tcp://127.0.0.1:1"
serial = "SN-1"
"""


@pytest.mark.parametrize(
    ("api", "says"),
    [("", "its configuration tells nobody which"), ("[api]\nport = 1\n", "cannot be asked: Connection refused")],
)
def test_a_daemon_that_cannot_be_asked_is_told_with_the_reason(api: str, says: str, tmp_path: Path) -> None:
    file = tmp_path / "table.toml"
    file.write_text(CONFIG + api)
    (tmp_path / "api.token").write_text("0" * 64)
    with pytest.raises(TechnicianError, match=says) as told:
        read_daemon(load_config(file), "/v1/tables/T1")
    assert told.value.code == "daemon-silent"
