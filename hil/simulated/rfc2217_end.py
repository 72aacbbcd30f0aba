"""A serial device server between host and device: telnet with the COM port option towards the host, a serial line behind it.

The server's side of the protocol is pyserial's `PortManager`, which other people wrote: a host that agrees with it agrees with more than
with our own reading of RFC 2217. The line behind it carries sense only while the host has set it as the device is set.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, cast

from serial.rfc2217 import PortManager
from serial.rfc2217 import Serial as RfcSerial

from device_profiles.plain.profile import LineSettings
from hil.simulated.ends import TcpEnd, TcpHost, sampled

SETTINGS: Final = ("baudrate", "bytesize", "parity", "stopbits")


class FarLine:
    """The server's serial port, as far as `PortManager` touches it. `fixed`: settings that it does not change, by pyserial's names."""

    def __init__(self, fixed: Mapping[str, object]) -> None:
        self.fixed = dict(fixed)
        self.baudrate = 9600
        self.bytesize = 8
        self.parity = "N"
        self.stopbits = 1
        self.xonxoff = self.rtscts = self.break_condition = False
        self.dtr = self.rts = False
        self.cts = self.dsr = self.cd = True
        self.ri = False
        self.purges = 0
        for name, value in self.fixed.items():
            setattr(self, name, value)

    def __setattr__(self, name: str, value: object) -> None:
        if name != "fixed" and self.fixed.get(name, value) != value:
            raise ValueError(f"{name} stays {self.fixed[name]}")
        super().__setattr__(name, value)

    def reset_input_buffer(self) -> None:
        self.purges += 1

    def reset_output_buffer(self) -> None:
        self.purges += 1

    def as_set(self) -> dict[str, object]:
        """Return the settings by pyserial's names."""
        return {name: getattr(self, name) for name in SETTINGS}


class Rfc2217End(TcpEnd):
    """A server that listens on `host`:`port`. `device`: how the device behind it is set; None: any setting will do."""

    def __init__(self, host: str, port: int, device: LineSettings | None = None, fixed: Mapping[str, object] | None = None) -> None:
        super().__init__(host, port)
        self.line = FarLine(fixed or {})
        self._device = device
        self._manager: PortManager | None = None

    @property
    def url(self) -> str:
        host, port = self._address
        return f"rfc2217://{host}:{port}"

    def take_host(self, host: TcpHost) -> None:
        self._manager = PortManager(cast("RfcSerial", self.line), cast("RfcSerial", host))
        super().take_host(host)

    def take_bytes(self, host: TcpHost, chunk: bytes) -> None:
        if self._manager is None:
            return
        plain = b"".join(self._manager.filter(chunk))
        if plain:
            super().take_bytes(host, self._through_line(plain))

    def send(self, chunk: bytes) -> None:
        super().send(self._through_line(chunk).replace(b"\xff", b"\xff\xff"))

    def send_raw(self, chunk: bytes) -> None:
        """Say something to the host that is not the device's, such as a notice of the server."""
        super().send(chunk)

    def _through_line(self, chunk: bytes) -> bytes:
        return chunk if self._device is None or self._fits(self._device) else sampled(chunk)

    def _fits(self, device: LineSettings) -> bool:
        wanted = (device.baud, device.data_bits, device.parity.value, device.stop_bits)
        return tuple(self.line.as_set().values()) == wanted
