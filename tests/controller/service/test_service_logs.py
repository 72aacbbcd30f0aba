"""The log: JSON lines for programs, readable ones for people, nothing of hidden cards, and cheap when filtered out."""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median

import pytest

from controller.service.config import LogFormat
from controller.service.errors import StartError
from controller.service.logs import LogFile, make_logger, open_log
from firmware_bridge.cards import Sealed, parse_card


@pytest.fixture(autouse=True)
def root_logger() -> Iterator[None]:
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    yield
    root.handlers[:] = handlers
    root.setLevel(level)


def test_lines_are_json_objects_with_level_and_time(tmp_path: Path) -> None:
    logger, file = open_log(tmp_path / "log", LogFormat.AUTO, "info")
    logger.bind(table="T1").warning("device-notice", notice="lost", count=3)
    logger.debug("unseen")
    logging.getLogger("asyncio").error("a task failed")
    file.close()
    lines = [json.loads(line) for line in (tmp_path / "log").read_text().splitlines()]
    assert [line["event"] for line in lines] == ["device-notice", "library-error"]
    assert lines[0]["table"] == "T1"
    assert lines[0]["level"] == "warning"
    assert lines[0]["timestamp"].endswith("Z")
    assert lines[1]["text"] == "a task failed"


@pytest.mark.requirement("EQ-71", "T-11")
@pytest.mark.parametrize("style", [LogFormat.JSON, LogFormat.PRETTY])
def test_a_sealed_card_in_a_log_line_tells_nothing(tmp_path: Path, style: LogFormat) -> None:
    texts = []
    for name in ("As", "7d"):
        logger, file = open_log(tmp_path / name, style, "info")
        try:
            raise ValueError("broken")
        except ValueError:
            logger.exception("slip", card=Sealed(parse_card(name)), cards=[Sealed(parse_card(name))])
        file.close()
        text = (tmp_path / name).read_text()
        assert "sealed card" in text
        texts.append([line for line in text.splitlines() if "T" not in line[:12]] or text.split("card", 1)[1])
        assert name not in text.replace(str(tmp_path), "")


def test_the_file_is_opened_anew_after_it_was_moved_away(tmp_path: Path) -> None:
    path = tmp_path / "log"
    logger, file = open_log(path, LogFormat.JSON, "info")
    logger.info("before")
    path.rename(tmp_path / "log.1")
    logger.info("still-the-old")
    file.reopen()
    logger.info("after")
    file.close()
    assert "still-the-old" in (tmp_path / "log.1").read_text()
    assert [json.loads(line)["event"] for line in path.read_text().splitlines()] == ["after"]


def test_a_line_that_cannot_be_written_is_counted_and_stops_nothing() -> None:
    file = LogFile(Path("/dev/full"))
    logger = make_logger(file, "info", pretty=False)
    logger.info("one")
    logger.info("two")
    file.close()
    assert file.lost_lines == 2


def test_a_log_that_cannot_be_opened_is_told(tmp_path: Path) -> None:
    with pytest.raises(StartError, match="cannot be opened"):
        open_log(tmp_path / "nowhere" / "log", LogFormat.JSON, "info")


@pytest.mark.requirement("P-11")
def test_a_filtered_out_line_costs_at_most_a_tenth_of_an_emitted_one(tmp_path: Path) -> None:
    file = LogFile(tmp_path / "log")
    logger = make_logger(file, "info", pretty=False)

    def cost_ns(debug: bool) -> float:
        began = time.perf_counter_ns()
        for number in range(300):
            if debug:
                logger.debug("card", table="T1", number=number)
            else:
                logger.info("card", table="T1", number=number)
        return time.perf_counter_ns() - began

    pairs = [(cost_ns(True), cost_ns(False)) for _ in range(7)]
    file.close()
    assert median(debug for debug, _ in pairs) / median(emitted for _, emitted in pairs) <= 0.1
