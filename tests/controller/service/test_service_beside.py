"""Shadow mode as it is configured, told and kept: what is refused, how rounds are known, what the sheet says, what evidence is written."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest
import structlog

from controller.service import evidence as evidence_room
from controller.service.config_file import load_config
from controller.service.engine import Engine
from controller.service.errors import ConfigError
from controller.service.evidence import KEPT_BYTES, Evidence
from controller.service.lifecycle import draft_started
from controller.service.preflight import TablePlan, plan_tables
from controller.service.sheet import sheet_of
from controller.table.enforcement import Detection, Sheet
from controller.table.following import Words
from device_profiles.plain.frames import Way
from firmware_bridge.capture.pcapng_file import read_capture

GOOD = """
config = 1
[journal]
path = "journal.db"
key_file = "journal.keys"
[[table]]
id = "T1"
game = "minibaccarat"
method = "manual-shoe"
mode = "shadow"
[[table.device]]
name = "shoe"
kind = "shoe"
profile = "angel-eye-ii-ex"
port = "tcp://127.0.0.1:4001"
[[table.device]]
name = "other-host"
kind = "host"
profile = "angel-eye-ii-ex"
port = "tcp://127.0.0.1:4002"
"""


def planned(folder: Path, text: str = GOOD) -> TablePlan:
    (folder / "table.toml").write_text(text)
    (plan,) = plan_tables(load_config(folder / "table.toml"))
    return plan


def sheet(plan: TablePlan) -> Sheet:
    told = {name: device.can for name, device in plan.devices.items()}
    return sheet_of(plan.procedure, plan.config, plan.devices, told, plan.words)


@pytest.mark.parametrize(
    ("replace", "by", "code", "key"),
    [
        ('mode = "shadow"', 'rounds = "line"', "key-without-use", "table.T1.rounds"),
        ('mode = "shadow"\n', "", "host-without-shadow", "table.T1.device.other-host.kind"),
        ('4001"', '4001"\nwrite = true', "shadow-writes", "table.T1.device.shoe.write"),
        ('4001"', '4001"\nsecurity = 1\nkey_file = "k"', "shadow-sealed", "table.T1.device.shoe.security"),
        ('"tcp://127.0.0.1:4001"', '"rfc2217://127.0.0.1:4001"', "port-refused", "table.T1.device.shoe.port"),
        ('mode = "shadow"', 'mode = "shadow"\nrounds = "lines"', "bad-value", "table.T1.rounds"),
        ('mode = "shadow"', 'mode = "shadows"', "bad-value", "table.T1.mode"),
        ('game = "minibaccarat"', 'game = "blackjack"\nrounds = "line"', "no-such-rounds", "table.T1.rounds"),
        ('mode = "shadow"', 'mode = "shadow"\nrounds = "line"\nhouse = { face_up_deal = false }', "no-such-rounds", "table.T1.rounds"),
    ],
)
def test_what_does_not_fit_another_hosts_line_is_refused(tmp_path: Path, replace: str, by: str, code: str, key: str) -> None:
    assert replace in GOOD
    with pytest.raises(ConfigError) as caught:
        planned(tmp_path, GOOD.replace(replace, by, 1))
    assert (caught.value.code, caught.value.key) == (code, key)


@pytest.mark.parametrize(
    ("profile", "game", "words"),
    [
        ("angel-eye-ii-ex", "minibaccarat", Words.LINE),
        ("bee-tek", "minibaccarat", Words.CARDS),
        ("sdp1", "minibaccarat", Words.LINE),
        ("angel-eye-ii-ex", "blackjack", Words.PEOPLE),
    ],
)
def test_how_rounds_are_known_follows_from_device_and_game(tmp_path: Path, profile: str, game: str, words: Words) -> None:
    plan = planned(tmp_path, GOOD.replace("angel-eye-ii-ex", profile).replace("minibaccarat", game))
    assert plan.words is words
    assert all(device.habits.listens and device.habits.takes == frozenset() for device in plan.devices.values())


def test_a_table_that_deals_itself_has_no_words_and_no_evidence(tmp_path: Path) -> None:
    plan = planned(tmp_path, GOOD.split("[[table.device]]", maxsplit=1)[0].replace('mode = "shadow"\n', ""))
    assert (plan.words, plan.evidence) == (None, None)
    assert sheet(plan).mode == "enforced"


@pytest.mark.parametrize("profile", ["angel-eye-ii-ex", "bee-tek", "barcode-wedge", "cctalk-shoe", "sdp1"])
@pytest.mark.parametrize("words", Words)
def test_nothing_on_the_sheet_is_prevented_and_nothing_is_left_out(tmp_path: Path, profile: str, words: Words) -> None:
    text = GOOD.replace("angel-eye-ii-ex", profile).replace("tcp://127.0.0.1:4001", "ear-1").replace("tcp://127.0.0.1:4002", "ear-2")
    plan = planned(tmp_path, text)
    told = {name: device.can for name, device in plan.devices.items()}
    shadow = sheet_of(plan.procedure, plan.config, plan.devices, told, words)
    enforced = sheet_of(plan.procedure, plan.config, plan.devices, told)
    assert shadow.mode == "shadow"
    assert shadow.of(Detection.PREVENTED) == ()
    mishaps = [line.mishap for line in shadow.lines]
    assert set(mishaps) > {line.mishap for line in enforced.lines}
    assert len(mishaps) == len(set(mishaps))
    assert shadow.digest != enforced.digest
    ends = {line.mishap: line.detection for line in shadow.lines}
    results = Detection.AT_ONCE if (profile, words) == ("angel-eye-ii-ex", Words.LINE) else Detection.NOT_DETECTABLE
    assert ends["the other host tells another result than the cards give"] is results
    assert ends["cards left before this table listened"] is Detection.NOT_DETECTABLE


def test_the_start_in_the_record_says_who_deals(tmp_path: Path) -> None:
    plan = planned(tmp_path)
    engine = Engine("T1", plan.procedure)
    assert b'"mode":"shadow"' in draft_started(engine, plan.config, engine.new_state(), "1", "").body


# ---- evidence


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


async def test_what_passed_is_kept_in_files_of_this_account_alone(tmp_path: Path) -> None:
    evidence = Evidence("T1", tmp_path, {"shoe": "angel-eye-ii-ex", "other-host": "angel-eye-ii-ex"}, lambda: 5.0)
    evidence.tap("shoe")(Way.IN, b"\x051S\x0361")
    evidence.tap("other-host")(Way.IN, b"\x02OPLK0203")
    evidence.keep(7, structlog.get_logger())
    evidence.tap("shoe")(Way.IN, b"later")
    await evidence.kept()
    assert names(tmp_path) == ["T1-7-other-host.pcapng", "T1-7-shoe.pcapng"]
    (record,) = read_capture(tmp_path / "T1-7-shoe.pcapng")
    assert (record.content, record.at_s) == (b"\x051S\x0361", 5.0)
    assert {stat.S_IMODE((tmp_path / name).stat().st_mode) for name in names(tmp_path)} == {0o600}


async def test_memory_is_bounded_and_the_newest_bytes_stay(tmp_path: Path) -> None:
    evidence = Evidence("T1", tmp_path, {"shoe": "bee-tek"})
    for index in range(3 * KEPT_BYTES // 64):
        evidence.tap("shoe")(Way.IN, b"%064d" % index)
    evidence.keep(1, structlog.get_logger())
    await evidence.kept()
    kept = [record.content for record in read_capture(tmp_path / "T1-1-shoe.pcapng")]
    assert sum(map(len, kept)) <= KEPT_BYTES
    assert int(kept[-1]) == 3 * KEPT_BYTES // 64 - 1


async def test_a_directory_that_is_full_or_gone_is_told_and_stops_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evidence_room, "FILES_MAX", 1)
    (tmp_path / "file").touch()
    for folder in (tmp_path / "new", tmp_path / "file"):
        evidence = Evidence("T1", folder, {"shoe": "bee-tek"})
        with structlog.testing.capture_logs() as logs:
            for entry in (1, 1, 2):
                evidence.keep(entry, structlog.get_logger())
                await evidence.kept()
        told = [log["event"] for log in logs]
        assert told == (["evidence", "evidence-not-kept", "evidence-not-kept"] if folder.name == "new" else ["evidence-not-kept"] * 3)
