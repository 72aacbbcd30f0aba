"""The client's end of RFC 2217, without a network: what it asks, what it answers, what it hands over, what it refuses."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_bridge.transport.com_port import ComPortLine
from firmware_bridge.transport.settings import Parity, SerialSettings

IAC, DONT, DO, WONT, WILL, SB, SE = 255, 254, 253, 252, 251, 250, 240
BINARY, ECHO, COM_PORT = 0, 1, 44
SEVEN_E_TWO = SerialSettings(baud=4800, data_bits=7, parity=Parity.EVEN, stop_bits=2)


def told(code: int, *value: int) -> bytes:
    """What a server says of its port; codes and values as in RFC 2217, section 3."""
    doubled = b"".join(bytes((byte, byte)) if byte == IAC else bytes((byte,)) for byte in value)
    return bytes((IAC, SB, COM_PORT, code)) + doubled + bytes((IAC, SE))


def confirmed(baud: int = 4800, bits: int = 7, parity: int = 3, stop: int = 2, flow: int = 1) -> bytes:
    """All five answers; parity 3 is even (section 3, SET-PARITY)."""
    return told(101, *baud.to_bytes(4, "big")) + told(102, bits) + told(103, parity) + told(104, stop) + told(105, flow)


def begun(settings: SerialSettings = SEVEN_E_TWO) -> ComPortLine:
    line = ComPortLine(settings)
    line.begin()
    line.bytes_to_send()
    return line


def agreed(settings: SerialSettings = SEVEN_E_TWO) -> ComPortLine:
    line = begun(settings)
    line.receive(bytes((IAC, DO, COM_PORT)))
    line.receive(confirmed())
    line.bytes_to_send()
    assert line.agreed
    return line


def test_it_offers_the_port_and_asks_for_bytes_as_they_are() -> None:
    line = ComPortLine(SEVEN_E_TWO)
    line.begin()
    asked = line.bytes_to_send()
    for wanted in ((WILL, COM_PORT), (WILL, BINARY), (DO, BINARY)):
        assert bytes((IAC, *wanted)) in asked
    assert line.bytes_to_send() == b""


@pytest.mark.parametrize("yes", [DO, WILL], ids=["do", "will"])
def test_a_server_that_agrees_is_asked_for_every_setting(yes: int) -> None:
    line = begun()
    line.receive(bytes((IAC, yes, COM_PORT)))
    asked = line.bytes_to_send()
    for setting in (told(1, 0, 0, 0x12, 0xC0), told(2, 7), told(3, 3), told(4, 2), told(5, 1), told(5, 8), told(5, 11), told(12, 3)):
        assert setting in asked
    line.receive(bytes((IAC, yes, COM_PORT)))
    assert line.bytes_to_send() == b""


def test_modem_lines_that_must_be_down_are_asked_down() -> None:
    line = begun(SerialSettings(dtr=False, rts=False))
    line.receive(bytes((IAC, DO, COM_PORT)))
    asked = line.bytes_to_send()
    assert told(5, 9) in asked
    assert told(5, 12) in asked


def test_bytes_count_once_every_setting_is_confirmed() -> None:
    line = begun()
    assert line.receive(b"old bytes" + bytes((IAC, DO, COM_PORT))) == b""
    for answer in (told(101, 0, 0, 0x12, 0xC0), told(102, 7), told(103, 3), told(104, 2)):
        assert line.receive(answer + b"not yet") == b""
    assert not line.agreed
    assert line.receive(told(105, 1) + b"now") == b"now"
    assert line.agreed
    assert line.refusal is None


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (confirmed(baud=9600), "9600 baud instead of 4800 baud"),
        (confirmed(bits=8), "8 data bits instead of 7 data bits"),
        (confirmed(parity=1), "no parity instead of even parity"),
        (confirmed(stop=1), "1 stop bit instead of 2 stop bits"),
        (confirmed(flow=3), "hardware flow control instead of no flow control"),
        (bytes((IAC, DONT, COM_PORT)), "does not offer RFC 2217"),
        (bytes((IAC, DONT, BINARY)), "bytes unchanged"),
        (bytes((IAC, WONT, BINARY)), "bytes unchanged"),
    ],
)
def test_what_a_server_will_not_do_is_named(answer: bytes, words: str) -> None:
    line = begun()
    line.receive(bytes((IAC, DO, COM_PORT)))
    line.receive(answer)
    assert words in (line.refusal or "")
    assert not line.agreed


def test_a_setting_that_changes_later_ends_the_agreement() -> None:
    line = agreed()
    line.receive(told(101, 0, 0, 0x25, 0x80))
    assert "9600 baud" in (line.refusal or "")
    assert not line.agreed


def test_modem_notices_and_strange_options_change_nothing() -> None:
    line = agreed()
    strange = told(107, 0xFF) + told(106, 2) + told(100, *b"a signature" * 40) + told(105, 11) + bytes((IAC, 249, IAC, SB, 99, 1, IAC, SE))
    assert line.receive(b"a" + strange + b"b") == b"ab"
    assert line.agreed
    assert line.bytes_to_send() == b""


def test_options_that_would_change_bytes_are_refused_once() -> None:
    line = begun()
    line.receive(bytes((IAC, WILL, ECHO, IAC, DO, 24)))
    assert line.bytes_to_send() == bytes((IAC, DONT, ECHO, IAC, WONT, 24))
    line.receive(bytes((IAC, WONT, ECHO, IAC, DONT, 24)))
    assert line.bytes_to_send() == b""


def test_a_server_without_room_says_so() -> None:
    line = agreed()
    line.receive(told(108))
    assert line.suspended
    line.receive(told(109))
    assert not line.suspended


@given(content=st.binary(max_size=200), cuts=st.lists(st.integers(0, 400), max_size=8))
def test_every_byte_comes_through_however_the_stream_is_cut(content: bytes, cuts: list[int]) -> None:
    line = agreed()
    wire = told(107, 0) + ComPortLine.escape(content) + told(109)
    places = [0, *sorted(min(cut, len(wire)) for cut in cuts), len(wire)]
    got = b"".join(line.receive(wire[begin:end]) for begin, end in itertools.pairwise(places))
    assert got == content


@given(noise=st.lists(st.binary(max_size=80), max_size=20))
def test_whatever_a_server_says_costs_bounded_answers_and_memory(noise: list[bytes]) -> None:
    line = begun()
    for chunk in noise:
        plain = line.receive(chunk)
        assert len(plain) <= len(chunk)
        assert len(line.bytes_to_send()) <= 2 * len(chunk) + 128
        assert len(line._sub) <= 64
