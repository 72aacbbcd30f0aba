"""How a serial line is set: rate, data bits, parity, stop bits, direction, modem lines. Values only; `serial` applies them."""

from __future__ import annotations

from enum import Enum
from typing import Annotated, Final

import msgspec

DEFAULT_BAUD: Final = 115200
BAUD_MIN: Final = 50
BAUD_MAX: Final = 4_000_000
"""What Linux's tables and today's adapters span."""


class Parity(Enum):
    """Named as everywhere: 8N1, 7E1, ..."""

    NONE = "N"
    EVEN = "E"
    ODD = "O"
    MARK = "M"
    SPACE = "S"


class SerialSettings(msgspec.Struct, frozen=True, kw_only=True):
    """One serial line; the defaults are those of SDP/1 1.1."""

    baud: Annotated[int, msgspec.Meta(ge=BAUD_MIN, le=BAUD_MAX)] = DEFAULT_BAUD
    data_bits: Annotated[int, msgspec.Meta(ge=5, le=8)] = 8
    parity: Parity = Parity.NONE
    stop_bits: Annotated[int, msgspec.Meta(ge=1, le=2)] = 1
    rs485: bool = False
    """The driver turns the line's direction with RTS while it sends. An adapter that does it by itself needs this off."""
    dtr: bool = True
    rts: bool = True
    """Levels set at opening; with `rs485` RTS belongs to the driver."""

    @property
    def bits_per_byte(self) -> int:
        """With the start bit."""
        return 1 + self.data_bits + (self.parity is not Parity.NONE) + self.stop_bits

    def words(self) -> str:
        """Return the settings as people write them, such as `9600 8N1`."""
        return f"{self.baud} {self.data_bits}{self.parity.value}{self.stop_bits}"

    def query(self) -> str:
        """Return what of an address differs from the defaults, such as `baud=4800&parity=E`; empty when nothing does."""
        told = {"baud": self.baud, "bits": self.data_bits, "parity": self.parity.value, "stop": self.stop_bits}
        usual = {"baud": DEFAULT_BAUD, "bits": 8, "parity": Parity.NONE.value, "stop": 1}
        words = [f"{name}={value}" for name, value in told.items() if value != usual[name]]
        return "&".join(words + ["rs485=on"] * self.rs485)
