"""No file of a configuration serves two purposes: what the daemon writes destroys nothing that it reads."""

from __future__ import annotations

from pathlib import Path

import pytest

from controller.journal.keys import create_keys
from controller.service.config import Setup
from controller.service.config_file import load_config
from controller.service.errors import ConfigError, ServiceError
from controller.service.preflight import check_files

TABLE = '[[table]]\nid = "T1"\ngame = "blackjack"\nmethod = "manual-shoe"\n'


def configured(folder: Path, extra: str = "", journal: str = "journal.db") -> Setup:
    file = folder / "table.toml"
    create_keys(folder / "keys.json")
    file.write_text(f'config = 1\njournal = {{ path = "{journal}", key_file = "keys.json" }}\n{extra}\n{TABLE}')
    return load_config(file)


@pytest.mark.parametrize(
    ("extra", "key", "other"),
    [
        ('api = { port_file = "keys.json" }', "api.port_file", "journal.key_file"),
        ('api = { port_file = "journal.db" }', "api.port_file", "journal.path"),
        ('api = { port_file = "journal.db-wal" }', "api.port_file", "journal.path"),
        ('api = { port_file = "journal.db.lock" }', "api.port_file", "journal.path"),
        ('api = { port_file = "api.token" }', "api.port_file", "api.token_file"),
        ('api = { port_file = "table.toml" }', "api.port_file", "the configuration"),
        ('api = { token_file = "keys.json" }', "api.token_file", "journal.key_file"),
        ('log = { file = "journal.db" }', "log.file", "journal.path"),
        ('log = { file = "./table.toml" }', "log.file", "the configuration"),
        ('log = { file = "link" }', "log.file", "journal.key_file"),
    ],
)
def test_a_file_that_is_written_has_no_other_purpose(tmp_path: Path, extra: str, key: str, other: str) -> None:
    (tmp_path / "link").symlink_to("keys.json")
    with pytest.raises(ConfigError, match="already") as caught:
        check_files(configured(tmp_path, extra))
    assert (caught.value.code, caught.value.key) == ("used-twice", key)
    assert other in caught.value.what


@pytest.mark.parametrize("text", ["a shopping list", "123456789", "12 a"])
def test_a_file_that_holds_no_port_number_is_not_replaced_by_one(tmp_path: Path, text: str) -> None:
    (tmp_path / "api.port").write_text(text)
    with pytest.raises(ConfigError, match="would be replaced"):
        check_files(configured(tmp_path, 'api = { port_file = "api.port" }'))


@pytest.mark.parametrize("text", ["", "8460\n", "65535\n"])
def test_the_port_file_of_a_daemon_that_was_killed_is_replaced(tmp_path: Path, text: str) -> None:
    (tmp_path / "api.port").write_text(text)
    check_files(configured(tmp_path, 'api = { port_file = "api.port" }'))


@pytest.mark.parametrize(
    ("extra", "journal"),
    [('api = { token_file = "folder" }', "journal.db"), ('api = { token_file = "" }', "journal.db"), ("", "folder")],
)
def test_a_directory_where_a_file_belongs_is_told_as_such(tmp_path: Path, extra: str, journal: str) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(ServiceError, match="is a directory") as caught:
        check_files(configured(tmp_path, extra, journal))
    assert caught.value.code == "path-is-folder"
    assert "chmod" not in caught.value.do
