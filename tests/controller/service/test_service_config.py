"""A configuration is read strictly: every slip names its file, its key path and the nearest valid key."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.errors import ShoedError
from controller.service.config import DeviceKind, Place, Setup
from controller.service.config_file import CONFIG_SIZE_LIMIT_BYTES, load_config
from controller.service.errors import ConfigError

GOOD = """
config = 1
journal = { path = "journal.db", key_file = "keys/journal.json" }
[ports]
links = "links"
[[table]]
id = "T1"
game = "colorado-hold-em-poker"
method = "hand"
house = { stub_count_every = 5 }
[[table.device]]
name = "shoe"
kind = "shoe"
port = "usb-ACME"
serial = "SN1"
[[table.device]]
name = "shuffler"
kind = "shuffler"
port = "tcp://127.0.0.1:7001"
serial = "SN2"
"""


def write(folder: Path, text: str) -> Path:
    file = folder / "table.toml"
    file.write_text(text)
    return file


def load(folder: Path, text: str) -> Setup:
    return load_config(write(folder, text))


def refuse(folder: Path, text: str) -> ConfigError:
    with pytest.raises(ConfigError) as caught:
        load(folder, text)
    error = caught.value
    assert str(folder / "table.toml") in error.what
    assert error.do
    assert error.exit_code == 2
    return error


def test_a_good_file_gives_typed_values_and_real_paths(tmp_path: Path) -> None:
    setup = load(tmp_path, GOOD)
    table = setup.config.table[0]
    assert table.house == {"stub_count_every": 5}
    assert [device.kind for device in table.device] == [DeviceKind.SHOE, DeviceKind.SHUFFLER]
    assert setup.path_of(setup.config.journal.path) == tmp_path / "journal.db"
    assert setup.port_of(table.device[0]) == str(tmp_path / "links" / "usb-ACME")
    assert setup.port_of(table.device[1]) == "tcp://127.0.0.1:7001"
    assert setup.config.api.host == "127.0.0.1"
    assert setup.config.service.stop_s == 4.0


@pytest.mark.parametrize(
    ("replace", "by", "key", "code", "hint"),
    [
        ('game = "', 'gmae = "', "table.T1.gmae", "unknown-key", "`game`"),
        ("config = 1", "config = 1\nserivce = { stop_s = 2 }", "serivce", "unknown-key", "`service`"),
        ('serial = "SN2"', 'seriel = "SN2"', "table.T1.device.shuffler.seriel", "unknown-key", "`serial`"),
        ('serial = "SN2"', "", "table.T1.device.shuffler.serial", "missing-key", "serial number"),
        ('serial = "SN2"', 'serial = "SN1"', "table.T1.device.shuffler.serial", "used-twice", "its own"),
        ('serial = "SN2"', "serial = 2", "table.T1.device.shuffler.serial", "bad-value", "serial number"),
        ('kind = "shoe"', 'kind = "show"', "table.T1.device.shoe.kind", "bad-value", '"shoe", "shuffler" or "host"'),
        ('kind = "shuffler"', 'kind = "shoe"', "table.T1.device", "two-shoes", "one of them"),
        ('name = "shuffler"', 'name = "shoe"', "table.T1.device.shoe", "used-twice", "its own"),
        ("tcp://127.0.0.1:7001", "usb-ACME", "table.T1.device.shuffler.port", "used-twice", "its own"),
        ('serial = "SN2"', 'serial = "SN2"\nsecurity = 1', "table.T1.device.shuffler.key_file", "missing-key", "name"),
        ('serial = "SN2"', 'serial = "SN2"\nkey_file = "k"', "table.T1.device.shuffler.key_file", "key-without-security", "1"),
        ("config = 1", 'config = 1\napi = { host = "0.0.0.0" }', "api.host", "api-not-local", "127.0.0.1"),
        ("config = 1", 'config = 1\napi = { host = "table7" }', "api.host", "api-not-local", "127.0.0.1"),
        ("config = 1", "config = 1\napi = { port = 70000 }", "api.port", "bad-value", "65535"),
        ("config = 1", "config = 1\nservice = { stop_s = 60 }", "service.stop_s", "bad-value", "4.5"),
        ("config = 1", "config = 2", "config", "bad-value", "1"),
        ("config = 1", "", "config", "missing-key", "1"),
        ('id = "T1"', 'id = "T 1"', "table.T 1.id", "bad-value", "name"),
        ('id = "T1"', "", "table.1.id", "missing-key", "name"),
    ],
)
def test_every_slip_names_its_place(tmp_path: Path, replace: str, by: str, key: str, code: str, hint: str) -> None:
    assert replace in GOOD
    error = refuse(tmp_path, GOOD.replace(replace, by, 1))
    assert (error.key, error.code) == (key, code)
    assert hint in error.do


ON_BUS = GOOD.replace("[ports]", '[[bus]]\nname = "rail"\nport = "usb-485"\n[ports]', 1).replace("usb-ACME", "bus://rail/1")
ON_BUS = ON_BUS.replace("tcp://127.0.0.1:7001", "bus://rail/126")


@pytest.mark.requirement("SDP/1 1.1")
def test_a_bus_names_its_line_once_and_each_device_its_address(tmp_path: Path) -> None:
    setup = load(tmp_path, ON_BUS)
    shoe, shuffler = setup.config.table[0].device
    line = str(tmp_path / "links" / "usb-485")
    assert setup.place_of(shoe) == Place(line, "rail", 1)
    assert setup.place_of(shuffler) == Place(line, "rail", 126)


@pytest.mark.parametrize(
    ("replace", "by", "key", "code", "hint"),
    [
        ("bus://rail/126", "bus://rail/1", "table.T1.device.shuffler.port", "used-twice", "its own"),
        ("bus://rail/126", "bus://rale/126", "table.T1.device.shuffler.port", "unknown-bus", "rail"),
        ("bus://rail/126", "bus://rail/127", "table.T1.device.shuffler.port", "bad-value", "126"),
        ("bus://rail/126", "bus://rail/0", "table.T1.device.shuffler.port", "bad-value", "126"),
        ("bus://rail/126", "bus://rail", "table.T1.device.shuffler.port", "bad-value", "126"),
        ("bus://rail/126", "bus://rail/1x", "table.T1.device.shuffler.port", "bad-value", "126"),
        ("bus://rail/126", "bus://rail/²", "table.T1.device.shuffler.port", "bad-value", "126"),
        ("bus://rail/126", "usb-485", "table.T1.device.shuffler.port", "used-twice", "its own"),
        ('name = "rail"', 'name = "rail"\nbaud = 9600', "bus.rail.baud", "unknown-key", ""),
        ('name = "rail"\nport', "port", "bus.1.name", "missing-key", "name"),
    ],
)
def test_every_slip_about_a_bus_names_its_place(tmp_path: Path, replace: str, by: str, key: str, code: str, hint: str) -> None:
    assert replace in ON_BUS
    error = refuse(tmp_path, ON_BUS.replace(replace, by, 1))
    assert (error.key, error.code) == (key, code)
    assert hint in error.do


@pytest.mark.parametrize(
    ("replace", "by", "words"),
    [
        ("config = 1", 'config = "1"', '`"1"` cannot stand here'),
        ("config = 1", "config = true", "`true` cannot stand here"),
        ("config = 1", 'config = 1\napi = { port = "8460" }', '`"8460"` cannot stand here'),
        ('journal = { path = "journal.db", key_file = "keys/journal.json" }', "", "section [journal]"),
        ('journal = { path = "journal.db", key_file = "keys/journal.json" }', "journal = { path = 'j' }", "key_file = the path"),
    ],
)
def test_a_slip_shows_the_value_as_it_is_written_and_what_to_write(tmp_path: Path, replace: str, by: str, words: str) -> None:
    assert replace in GOOD
    error = refuse(tmp_path, GOOD.replace(replace, by, 1))
    assert words in f"{error.what} {error.do}"


def test_a_file_without_tables_tells_how_to_add_one(tmp_path: Path) -> None:
    assert "[[table]]" in refuse(tmp_path, GOOD.split("[[table]]", maxsplit=1)[0]).do


def test_a_byte_order_mark_is_named(tmp_path: Path) -> None:
    assert "without" in refuse(tmp_path, "\ufeff" + GOOD).what


def test_two_tables_may_not_share_an_id(tmp_path: Path) -> None:
    again = '\n[[table]]\nid = "T1"\ngame = "x"\nmethod = "hand"\n'
    assert refuse(tmp_path, GOOD + again).code == "used-twice"


def test_a_table_where_a_list_belongs(tmp_path: Path) -> None:
    text = 'config = 1\njournal = { path = "a", key_file = "b" }\n[table]\nid = "T1"\n'
    assert refuse(tmp_path, text).key == "table"


def test_files_that_are_no_configuration(tmp_path: Path) -> None:
    assert refuse(tmp_path, "config = ").code == "config-not-toml"
    assert refuse(tmp_path, "a = " + "[" * 5000).code == "config-not-toml"
    (tmp_path / "table.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(ConfigError, match="UTF-8"):
        load_config(tmp_path / "table.toml")
    (tmp_path / "table.toml").write_bytes(b"#" * (CONFIG_SIZE_LIMIT_BYTES + 1))
    with pytest.raises(ConfigError, match="longer"):
        load_config(tmp_path / "table.toml")
    with pytest.raises(ConfigError, match="no such file"):
        load_config(tmp_path / "other.toml")
    with pytest.raises(ConfigError, match="cannot be read"):
        load_config(tmp_path)


PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 70000) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=8,
)


@given(st.binary(max_size=200))
def test_no_bytes_raise_past_the_typed_error(tmp_path_factory: pytest.TempPathFactory, raw: bytes) -> None:
    file = tmp_path_factory.getbasetemp() / "noise.toml"
    file.write_bytes(raw)
    with pytest.raises(ShoedError):
        load_config(file)


@given(st.sampled_from(["config", "journal", "table", "api", "ports", "log", "service"]), PLAIN)
def test_no_value_raises_past_the_typed_error(tmp_path_factory: pytest.TempPathFactory, key: str, value: object) -> None:
    from controller.service.config import Config
    from controller.service.strict import read_struct

    good = {"config": 1, "journal": {"path": "a", "key_file": "b"}, "table": []}
    with contextlib.suppress(ConfigError):
        read_struct(Config, {**good, key: value}, Path("x.toml"))
