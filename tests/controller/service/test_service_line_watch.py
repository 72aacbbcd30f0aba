"""What a line does is counted as often as it happened, and the table hears what somebody must look at."""

from __future__ import annotations

import pytest

from controller.service.line_watch import LineNews, LineWatch
from controller.service.logs import LogFile, make_logger
from controller.service.metrics import Metrics
from firmware_bridge.link.faults import FaultKind
from firmware_bridge.link.quality import LineGrade
from firmware_bridge.port_news import PortFlooded
from firmware_bridge.session.outputs import EventRepeated, Fault, LineQuality


@pytest.mark.requirement("EQ-58", "T-27")
@pytest.mark.parametrize(
    ("news", "counted", "told"),
    [
        (EventRepeated(1, 7, reacknowledged=True), 'shoed_repeated_events_total{device="shoe",table="T1"} 1', None),
        (Fault(FaultKind.CRC, 250, ""), 'shoed_device_faults_total{device="shoe",kind="crc",table="T1"} 250', None),
        (Fault(FaultKind.BOOT_COUNT_BACK, 1, ""), 'kind="boot-count-back"', ("wrong-identity", "exchanged")),
        (LineQuality(LineGrade.WARNING, 80), "", None),
        (LineQuality(LineGrade.DEGRADED, 300), "", ("warning", "check cable")),
        (
            PortFlooded(11_000),
            'shoed_device_floods_total{device="shoe",table="T1"} 1',
            ("warning", "11000 bytes a second that say nothing"),
        ),
    ],
)
def test_each_news_is_counted_and_told(news: LineNews, counted: str, told: tuple[str, str] | None) -> None:
    metrics = Metrics()
    notice = LineWatch("T1", "shoe", metrics, make_logger(LogFile(None), "error", pretty=False)).hear(news)
    assert counted in metrics.render()
    assert (notice is None) is (told is None)
    if notice is not None and told is not None:
        assert notice[0] == told[0]
        assert told[1] in notice[1]
