"""Checksum names to well-kept libraries. Nothing is computed here.

The names are those of the standard catalogue in lower case with hyphens, which profiles use too.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import fastcrc

Checksum = Callable[[bytes], int]


def crc32c(content: bytes) -> int:
    """CRC-32C, which the catalogue calls CRC-32/ISCSI (SDP/1 1.6, LOG_READ)."""
    return fastcrc.crc32.iscsi(content)


CHECKSUMS_16: Final[dict[str, Checksum]] = {
    "crc-16-genibus": fastcrc.crc16.genibus,
    "crc-16-modbus": fastcrc.crc16.modbus,
    "crc-16-xmodem": fastcrc.crc16.xmodem,
    "crc-16-kermit": fastcrc.crc16.kermit,
    "crc-16-ibm-3740": fastcrc.crc16.ibm_3740,
}
"""Sixteen-bit checksums by catalogue name, as `framing.crc` of a profile names them."""
