"""What the line of a device does: counted for the metrics, and told to the table when somebody must look at it."""

from __future__ import annotations

from controller.service.logs import Logger
from controller.service.loss import is_rubbish
from controller.service.metrics import Metrics
from firmware_bridge.link.faults import FaultKind
from firmware_bridge.link.quality import LineGrade
from firmware_bridge.port_news import LineFound, PortFlooded
from firmware_bridge.session.outputs import EventRepeated, Fault, LineQuality

EXCHANGED = frozenset({FaultKind.EVENT_CHANGED, FaultKind.BOOT_COUNT_BACK})
LineNews = EventRepeated | Fault | LineQuality | PortFlooded | LineFound


class LineWatch:
    """The line of one device."""

    def __init__(self, table: str, device: str, metrics: Metrics, logger: Logger) -> None:
        self._labels = {"table": table, "device": device}
        self._metrics = metrics
        self._logger = logger
        self.heard_rubbish = False
        """Since the owner last said so, bytes came that were no frames."""

    def hear(self, news: LineNews) -> tuple[str, str] | None:
        """Count it; return a notice and its words when the table must hear of it."""
        match news:
            case EventRepeated():
                self._metrics.add("shoed_repeated_events_total", **self._labels)
            case Fault():
                self.heard_rubbish = self.heard_rubbish or is_rubbish(news)
                self._metrics.add("shoed_device_faults_total", news.count, **self._labels, kind=news.kind.value)
                if news.kind in EXCHANGED:
                    return "wrong-identity", f"{news.kind.value}: the device was exchanged or is damaged"
            case LineQuality():
                self._logger.warning("line-quality", grade=news.grade.value, per_mille=news.damaged_per_mille)
                if news.grade is LineGrade.DEGRADED:
                    return "warning", "more than one frame in five is damaged: check cable and plugs"
            case LineFound():
                told = f"it speaks at {news.setting}, not at {news.expected}"
                return "warning", f"{told}: set its line right, or write the rate into the port's address"
            case PortFlooded():
                self._metrics.add("shoed_device_floods_total", **self._labels)
                return "warning", f"it sends {news.bytes_s} bytes a second that say nothing: have it and its cable checked"
        return None
