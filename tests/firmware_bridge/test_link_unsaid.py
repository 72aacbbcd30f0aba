"""Bytes that never reach the wire are not counted as sent."""

from __future__ import annotations

from firmware_bridge.codec import load_codec
from firmware_bridge.link.host import HostLink
from firmware_bridge.link.line import Line


def test_only_what_goes_on_the_wire_is_counted() -> None:
    codec = load_codec("sdp1")
    link = HostLink(codec.profile.framing, codec.checksum, Line.stream(), 1)
    link.open(0.0)
    link.unsay()
    assert (link.bytes_to_send(), link.counters.bytes_out) == (b"", 0)
    link.open(1.0)
    assert link.counters.bytes_out == 0
    sent = link.bytes_to_send()
    assert link.counters.bytes_out == len(sent) > 0
