"""A daemon in its own process: its configuration is good TOML, and its failures are told."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.service.config_file import load_config
from hil.endtoend.daemon import DaemonError, DeviceEntry, TableEntry, config_text, run_daemon, toml, working_folder

plain = st.recursive(
    st.booleans() | st.integers(-(2**53), 2**53) | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=6,
)


@given(plain)
def test_plain_values_survive_toml(value: object) -> None:
    assert tomllib.loads(f"value = {toml(value)}") == {"value": value}


def table(game: str) -> TableEntry:
    device = DeviceEntry("shoe", "shoe", "S-1", "S-1")
    return TableEntry("T1", game, "hand", {"stub_count_every": 4, "pay_table": {"two-pair": 2}}, (device,))


def test_the_configuration_is_read_by_the_daemon(tmp_path: Path) -> None:
    file = tmp_path / "shoed.toml"
    file.write_text(config_text([table("colorado-hold-em-poker")]))
    read = load_config(file).config.table[0]
    assert read.house == {"stub_count_every": 4, "pay_table": {"two-pair": 2}}
    assert read.device[0].serial == "S-1"


def test_a_daemon_that_does_not_start_says_why(tmp_path: Path) -> None:
    with (
        working_folder(tmp_path) as folder,
        pytest.raises(DaemonError, match="no game"),
        run_daemon(folder, [table("no-such-game")]),
    ):
        pytest.fail("it started")
