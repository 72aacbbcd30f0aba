"""Counters of the daemon in the text format that monitoring reads. They count happenings and never tell a card.

Metrics are sums over all acts of a kind, so that no number depends on which card was dealt; times are kept as a sum and
a largest value. Nothing here is a record: after a restart counting begins anew.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

Labels = tuple[tuple[str, str], ...]
Sample = tuple[str, Labels, float]

HELP: Final = {
    "shoed_acts_total": "Acts decided, by table, act and whether they were taken or refused.",
    "shoed_entries_total": "Entries journalled, by table.",
    "shoed_repeated_events_total": "Device events that came again and were acknowledged without effect.",
    "shoed_commit_seconds_sum": "Seconds from handing an entry to the journal until it was durable, summed.",
    "shoed_commit_seconds_max": "The longest of these times.",
    "shoed_device_up": "1 while a device is connected, identified and running.",
    "shoed_device_losses_total": "Times that the link to a device was lost.",
    "shoed_device_commands_total": "Commands to devices by their final status.",
    "shoed_device_faults_total": "Faults on the line, by kind.",
    "shoed_device_floods_total": "Times that a device sent without end what says nothing.",
    "shoed_line_bytes_total": "Bytes over the port of a device, by direction.",
    "shoed_capture_on": "1 while a device's line is recorded.",
    "shoed_capture_lost_total": "Pieces of a line that a capture could not take, since it was switched on last.",
    "shoed_journal_ready": "1 while the journal takes entries.",
    "shoed_journal_last_entry": "Number of the last entry.",
    "shoed_table_alarms": "Alarms open at a table.",
    "shoed_clock_steps_total": "Steps of the wall clock by more than a second (EQ-93).",
    "shoed_foreign_usb_total": "USB devices that were plugged in and are not on the list (EQ-53).",
    "shoed_usb_watch_failures_total": "Times that what is plugged in could not be looked at.",
    "shoed_log_lines_lost_total": "Log lines that could not be written.",
}
"""Every metric there is, with its meaning: the reference page is made from this."""


class Metrics:
    """Counters by name and labels. Everything runs on one loop, so nothing is locked."""

    def __init__(self) -> None:
        self._counters: dict[tuple[str, Labels], float] = {}
        self._gauges: list[Callable[[], Iterable[Sample]]] = []

    def add(self, name: str, amount: float = 1.0, /, **labels: str) -> None:
        """Raise a counter."""
        key = (name, tuple(sorted(labels.items())))
        self._counters[key] = self._counters.get(key, 0.0) + amount

    def note_max(self, name: str, value: float, /, **labels: str) -> None:
        """Keep the largest value."""
        key = (name, tuple(sorted(labels.items())))
        self._counters[key] = max(self._counters.get(key, value), value)

    def ask(self, source: Callable[[], Iterable[Sample]]) -> None:
        """Ask a source for its samples whenever the metrics are read."""
        self._gauges.append(source)

    def render(self) -> str:
        """Return all samples in the text exposition format, in a fixed order."""
        samples: dict[str, list[tuple[Labels, float]]] = {}
        for (name, labels), value in self._counters.items():
            samples.setdefault(name, []).append((labels, value))
        for source in self._gauges:
            for name, labels, value in source():
                samples.setdefault(name, []).append((labels, value))
        lines: list[str] = []
        for name in sorted(samples):
            kind = "counter" if name.endswith("_total") else "gauge"
            lines += [f"# HELP {name} {HELP[name]}", f"# TYPE {name} {kind}"]
            lines += [f"{name}{_braces(labels)} {value:.10g}" for labels, value in sorted(samples[name])]
        return "\n".join(lines) + "\n"


def _braces(labels: Labels) -> str:
    if not labels:
        return ""
    return "{" + ",".join(f'{key}="{_escape(value)}"' for key, value in labels) + "}"


def _escape(text: str) -> str:
    return text.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")
