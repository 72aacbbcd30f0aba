"""A device's own log fetched in pieces, each proved by its CRC-32C, and written to a file."""

from __future__ import annotations

from pathlib import Path
from typing import Final, cast

from fastcrc import crc32

from controller.technician.bench import Bench
from controller.technician.errors import DeviceNotInOrderError, TechnicianError
from controller.technician.findings import Found
from controller.technician.parts import verify_has

PIECE_BYTES: Final = 200
"""SDP/1 1.6, LOG_READ."""
LOG_BYTES_MAX: Final = 16 << 20
"""At 115200 baud this takes half an hour; a device that tells more is broken."""
TRIES: Final = 3


async def fetch_log(bench: Bench, path: Path) -> Found:
    """Write the device's log to a file that must not exist yet.

    Raises:
        TechnicianError: the file exists or cannot be written.
        DeviceNotInOrderError: the device refuses, or a piece stays wrong.
    """
    verify_has(bench, "log_info")
    info = (await bench.ask("log_info")).fields
    size = cast("int", info["size"])
    if size > LOG_BYTES_MAX:
        what = f"The device says that its log has {size} bytes, more than any of its kind."
        raise DeviceNotInOrderError("log-damaged", what, "Update the device's firmware, or change its memory.")
    content = bytearray()
    while len(content) < size:
        content += await _piece(bench, len(content), min(PIECE_BYTES, size - len(content)))
    try:
        with path.open("xb") as stream:
            stream.write(content)
    except OSError as error:
        what = f"The log cannot be written to {path}: {error.strerror}."
        raise TechnicianError("file-not-writable", what, "Name a file that does not exist yet.") from error
    row = {"file": str(path), "bytes": size, "first_unix_ms": info["first_unix_ms"], "last_unix_ms": info["last_unix_ms"]}
    good = f"{size} bytes, every piece proved by its checksum."
    return Found(columns=("file", "bytes", "first_unix_ms", "last_unix_ms"), rows=(row,), good=good)


async def _piece(bench: Bench, offset: int, length: int) -> bytes:
    for _ in range(TRIES):
        fields = (await bench.ask("log_read", offset=offset, length=length)).fields
        content = cast("bytes", fields["content"])
        if content and len(content) <= length and crc32.iscsi(content) == fields["crc32c"]:
            return content
    raise DeviceNotInOrderError(
        "log-damaged",
        f"The device's log is damaged at byte {offset}: the piece there does not fit its checksum.",
        "Read it again; if it stays so, the device's memory has failed.",
    )
