"""The settings of a serial line: what an address says, what a profile says, and what reaches the kernel."""

from __future__ import annotations

import os
import termios
import tty
from typing import ClassVar

import pytest

from firmware_bridge.transport import serial as serial_module
from firmware_bridge.transport.address import open_transport
from firmware_bridge.transport.base import BadAddressError
from firmware_bridge.transport.serial import SerialTransport
from firmware_bridge.transport.settings import Parity, SerialSettings

SEVEN_E_TWO = SerialSettings(baud=4800, data_bits=7, parity=Parity.EVEN, stop_bits=2)


def settings_of(url: str, usual: SerialSettings | None = None) -> SerialSettings:
    transport = open_transport(url) if usual is None else open_transport(url, usual)
    assert isinstance(transport, SerialTransport)
    return transport.settings


def test_an_address_says_everything() -> None:
    wanted = SerialSettings(baud=9600, data_bits=7, parity=Parity.ODD, stop_bits=2, rs485=True, dtr=False, rts=False)
    assert settings_of("serial:///dev/ttyS0?baud=9600&bits=7&parity=O&stop=2&rs485=on&dtr=off&rts=off") == wanted


def test_what_the_address_leaves_open_is_the_profiles() -> None:
    assert settings_of("/dev/ttyS0", SEVEN_E_TWO) == SEVEN_E_TWO
    assert settings_of("serial:///dev/ttyS0?baud=9600", SEVEN_E_TWO) == SerialSettings(
        baud=9600, data_bits=7, parity=Parity.EVEN, stop_bits=2
    )
    assert settings_of("/dev/ttyS0") == SerialSettings()


def test_the_address_of_a_transport_opens_the_same_again() -> None:
    url = open_transport("/dev/ttyS0", SEVEN_E_TWO).url
    assert url == "serial:///dev/ttyS0?baud=4800&bits=7&parity=E&stop=2"
    assert settings_of(url) == SEVEN_E_TWO
    assert open_transport("/dev/ttyS0").url == "/dev/ttyS0"


@pytest.mark.parametrize("query", ["baud=9601", "baud=x", "bits=9", "parity=even", "stop=3", "rs485=yes", "flow=on"])
def test_what_is_no_setting_is_refused(query: str) -> None:
    with pytest.raises(BadAddressError) as refused:
        open_transport(f"serial:///dev/ttyS0?{query}")
    assert refused.value.do


def test_a_byte_takes_its_start_parity_and_stop_bits() -> None:
    assert SEVEN_E_TWO.bits_per_byte == 11
    assert SerialSettings().bits_per_byte == 10


async def test_a_pseudo_terminal_opens_whatever_is_asked_and_keeps_the_rate() -> None:
    master, slave = os.openpty()
    tty.setraw(slave)
    transport = open_transport(os.ttyname(slave), SerialSettings(baud=4800, data_bits=7, parity=Parity.MARK, stop_bits=2, rs485=True))
    await transport.open(lambda _chunk: None, lambda _error: None)
    assert termios.tcgetattr(master)[4] == termios.B4800
    await transport.close()
    os.close(master)
    os.close(slave)


class NoRs485Port:
    """A port whose driver cannot turn the direction."""

    made: ClassVar[list[NoRs485Port]] = []

    def __init__(self, *_: object, **__: object) -> None:
        self.closed = False
        self.made.append(self)

    def open(self) -> None:
        pass

    def close(self) -> None:
        self.closed = True

    @property
    def rs485_mode(self) -> object:
        return None

    @rs485_mode.setter
    def rs485_mode(self, _value: object) -> None:
        raise ValueError("Failed to set RS485 mode")


async def test_a_driver_that_cannot_turn_the_direction_is_told_with_the_way_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serial_module.serial, "Serial", NoRs485Port)
    transport = open_transport("serial:///dev/ttyS0?rs485=on&bits=7&parity=E")
    with pytest.raises(serial_module.PortBrokenError) as refused:
        await transport.open(lambda _chunk: None, lambda _error: None)
    assert "rs485=off" in refused.value.do
    port = NoRs485Port.made[-1]
    assert port.closed
    assert (port.bytesize, port.parity) == (7, "E")  # type: ignore[attr-defined]  # what the transport has set on it
