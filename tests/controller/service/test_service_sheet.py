"""The sheet at the running daemon: who opens confirms it, and one that has changed is not confirmed unread."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from controller.service.checkup import examine
from controller.service.config_file import load_config
from controller.service.finding import Grade
from controller.service.logs import LogFile, make_logger
from controller.service.preflight import plan_tables
from controller.service.sheet import SheetChangedError, SheetDesk
from controller.table.acts import By, Close, Open
from controller.table.enforcement import Detection
from firmware_bridge.reports import Capability

SUPERVISOR = By("supervisor", "S1")
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
profile = "angel-eye-ii-ex"
port = "tcp://127.0.0.1:1"
"""


class Told(dict[str, tuple[Capability, ...]]):
    def __call__(self) -> Told:
        return self


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[tuple[SheetDesk, Told, Path]]:
    (tmp_path / "table.toml").write_text(CONFIG)
    (plan,) = plan_tables(load_config(tmp_path / "table.toml"))
    told = Told(shoe=plan.devices["shoe"].can)
    file = LogFile(tmp_path / "log")
    logger = make_logger(file, "info", pretty=False)
    yield SheetDesk(plan.procedure, plan.config, plan.devices, told, logger), told, tmp_path
    file.close()


def test_an_opening_bears_the_sheet_of_its_moment_and_is_logged(desk: tuple[SheetDesk, Told, Path]) -> None:
    sheets, _, folder = desk
    act = sheets.stamped(Open(by=SUPERVISOR))
    assert isinstance(act, Open)
    assert act.sheet == sheets.present()
    assert act.confirms == sheets.present().digest
    assert sheets.stamped(Close()) == Close()
    sheets.note_opened(act, None)
    assert not (folder / "log").exists() or "enforcement" not in (folder / "log").read_text()
    sheets.note_opened(act, 7)
    logged = (folder / "log").read_text()
    assert act.confirms in logged
    assert "a card leaves while the line is down" in logged


def test_a_sheet_that_has_changed_is_not_confirmed(desk: tuple[SheetDesk, Told, Path]) -> None:
    sheets, told, _ = desk
    read = sheets.present().digest
    sheets.stamped(Open(confirms=read, by=SUPERVISOR))
    told["shoe"] = (*told["shoe"], Capability("gate", 1, 0))
    with pytest.raises(SheetChangedError) as refused:
        sheets.stamped(Open(confirms=read, by=SUPERVISOR))
    assert sheets.present().digest in refused.value.what
    found = {line.mishap: line.detection for line in sheets.present().lines}
    assert found["a card leaves although none is due"] is Detection.PREVENTED


def test_a_dealer_opens_with_the_sheet_unconfirmed_and_cannot_confirm_it(desk: tuple[SheetDesk, Told, Path]) -> None:
    sheets, _, _ = desk
    act = sheets.stamped(Open(by=By("dealer", "D7")))
    assert isinstance(act, Open)
    assert (act.confirms, act.sheet) == ("", sheets.present())
    with pytest.raises(SheetChangedError) as refused:
        sheets.stamped(Open(confirms=sheets.present().digest, by=By("dealer", "D7")))
    assert refused.value.code == "role-not-allowed"


async def test_doctor_prints_the_sheet(tmp_path: Path) -> None:
    (tmp_path / "table.toml").write_text(CONFIG)
    findings = await examine(load_config(tmp_path / "table.toml"))
    sheet = [finding for finding in findings if finding.check.startswith("T1 sheet ")]
    assert any("although none is due: detected at once" in finding.what for finding in sheet)
    assert any(finding.grade is Grade.LOOK and "NOT DETECTABLE" in finding.what for finding in sheet)
    assert any("both are counted here" in finding.what for finding in sheet)
