"""How an interface of a USB device is used: as a stream, as reports, as a keyboard. Values only; a profile fills them in."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum

import msgspec


class UsbForm(Enum):
    """What the transfers of an interface carry."""

    STREAM = "stream"
    """Bytes, on bulk or interrupt endpoints: where a transfer ends says nothing."""
    REPORTS = "reports"
    """HID reports: each transfer is one, told and sent as a whole."""
    KEYBOARD = "keyboard"
    """HID boot keyboard reports, told as the text that they type."""


class UsbSettings(msgspec.Struct, frozen=True, kw_only=True):
    """What is None is taken as the device has it."""

    form: UsbForm = UsbForm.STREAM
    interface_class: int | None = None
    usage_page: int | None = None
    """Of HID interfaces: a top-level collection of this page must be there."""
    endpoint_in: int | None = None
    endpoint_out: int | None = None
    transfer_bytes: int = 0
    """Size of the blocks or of the largest report that the device sends; 0: unknown, so each packet is taken as it comes."""
    report_sizes: Mapping[int, int] = {}
    """Report number to its whole size, of what the host sends."""


def cut_reports(chunk: bytes, sizes: Mapping[int, int]) -> list[bytes]:
    """Return the reports in a chunk; bytes that begin no known report are one piece, as they are."""
    found: list[bytes] = []
    while chunk:
        size = sizes.get(chunk[0], len(chunk))
        found.append(chunk[:size])
        chunk = chunk[size:]
    return found
