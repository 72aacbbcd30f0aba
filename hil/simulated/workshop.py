"""What a technician finds in a simulated device: settings, sensors, motors, a self test and a log without cards.

Nothing here moves a card of the game, and nothing tells the order of a deck: the raw reading is of the one card that
lies under the reader (EQ-71, EQ-82).
"""

from __future__ import annotations

import dataclasses
from collections import deque
from collections.abc import Mapping
from enum import IntEnum

import msgspec
from fastcrc import crc32

from device_profiles.values import FieldValue
from firmware_bridge.events import DeviceError, GateState, Status
from hil.mechanism.machine import Mechanism

LOG_LINES = 500
"""About 20 kB: what a technician's tool fetches in a few seconds at 115200 baud."""


class Key(IntEnum):
    """Keys of CONFIG_GET and CONFIG_SET, as the profile's registry numbers them."""

    DECK_SIZE = 1
    FAIL_SAFE = 2
    BUS_ADDRESS = 3
    READER_THRESHOLD = 4


SYMBOLOGY_CARD_BYTE = 1
"""READ_RAW: the code is the card byte of SDP/1 1.7."""

MOTOR_CURRENT_MA = {1: 180, 2: 90, 3: 240}
"""Feed, gate, elevator."""

STICKY_FACTOR = 2
"""What moves heavily draws twice the current."""

GOOD_LAMP, DIM_LAMP = 940, 310
"""Light of the reader, per mille of new."""

ROOM_WARM, TOO_WARM = 312, 718
"""Tenths of a degree Celsius."""

LONGEST_DRIVE_MS = 2000
"""SDP/1 1.6, ACTUATE."""

_PARTS = ((1, DeviceError.MOTOR), (2, DeviceError.CAMERA), (3, DeviceError.SENSOR), (4, DeviceError.MEMORY))
"""Steps of the self test and the error that makes each fail."""


class DeviceLog:
    """The device's own log: happenings by name, never a card."""

    def __init__(self) -> None:
        self._lines: deque[tuple[int, str]] = deque(maxlen=LOG_LINES)

    def write(self, unix_ms: int, happening: str) -> None:
        self._lines.append((unix_ms, happening))

    def content(self) -> bytes:
        return "".join(f"{unix_ms} {happening}\n" for unix_ms, happening in self._lines).encode()

    def span(self) -> tuple[int, int]:
        """Return the times of the first and last line, zeros when there is none."""
        return (self._lines[0][0], self._lines[-1][0]) if self._lines else (0, 0)

    def read(self, offset: int, length: int) -> Mapping[str, FieldValue] | None:
        """Return a piece and its checksum, None beyond the end."""
        content = self.content()
        if offset > len(content):
            return None
        piece = content[offset : offset + length]
        return {"content": piece, "crc32c": crc32.iscsi(piece)}


@dataclasses.dataclass(slots=True)
class Workshop:
    """Settings and technician's functions of one device."""

    machine: Mechanism
    sticky: tuple[int, ...] = ()
    locks_when_lost: bool = True
    address: int = 0
    """Its address on a bus from the next start on."""
    lamps: dict[int, int] = dataclasses.field(default_factory=dict)
    key_load_mode: bool = False
    """The switch on the device that lets a key be loaded."""

    def config_get(self, key: int) -> bytes | None:
        """Return a setting's value; None for one that this maker has not."""
        match key:
            case Key.DECK_SIZE:
                return self.machine.options.deck_size.to_bytes(2, "big")
            case Key.FAIL_SAFE:
                return bytes([self.locks_when_lost])
            case Key.BUS_ADDRESS:
                return bytes([self.address])
            case Key.READER_THRESHOLD:
                return bytes([self.machine.options.threshold])
            case _:
                return None

    def config_set(self, key: int, value: bytes) -> Status:
        """Take a setting; its size and range were checked by the profile's registry."""
        number = int.from_bytes(value, "big")
        match key:
            case Key.DECK_SIZE:
                self.machine.options = msgspec.structs.replace(self.machine.options, deck_size=number)
            case Key.FAIL_SAFE:
                self.locks_when_lost = bool(number)
            case Key.BUS_ADDRESS:
                self.address = number
            case Key.READER_THRESHOLD:
                self.machine.options = msgspec.structs.replace(self.machine.options, threshold=number)
            case _:
                return Status.OUT_OF_RANGE
        return Status.OK

    def sensors(self, mask: int) -> tuple[Mapping[str, FieldValue], ...]:
        """Return the readings whose bit is set, in the order of the profile's registry."""
        machine = self.machine
        readings = (
            min(len(machine.feed), 0xFFFF),
            int(machine.lid_open),
            int(machine.gate.state is not GateState.OPEN),
            int(DeviceError.JAM in machine.causes),
            DIM_LAMP if DeviceError.CAMERA in machine.causes else GOOD_LAMP,
            ROOM_WARM if DeviceError.TEMPERATURE not in machine.causes else TOO_WARM,
        )
        return tuple(
            {"id": i + 1, "reading": reading, "flag": int(DeviceError.SENSOR in machine.causes)}
            for i, reading in enumerate(readings)
            if mask >> i & 1
        )

    def drive(self, actuator: int, duration_ms: int) -> tuple[Status, int]:
        """Run a motor; return status and current."""
        if actuator not in MOTOR_CURRENT_MA or not 0 < duration_ms <= LONGEST_DRIVE_MS:
            return Status.OUT_OF_RANGE, 0
        if DeviceError.MOTOR in self.machine.causes:
            return Status.HARDWARE_FAULT, 0
        return Status.OK, MOTOR_CURRENT_MA[actuator] * (STICKY_FACTOR if actuator in self.sticky else 1)

    def self_test(self, test: int) -> tuple[Mapping[str, FieldValue], ...] | None:
        """Return the steps of a test (0 all, else that one), result 0 good and 1 bad; None for no such test."""
        steps = [(step, error) for step, error in _PARTS if test in (0, step)]
        if not steps:
            return None
        causes = self.machine.causes
        return tuple({"step": step, "result": int(error in causes), "value": 0} for step, error in steps)

    def read_raw(self, position: int) -> Mapping[str, FieldValue] | None:
        """Return the code of the card under the reader (position 0); None where no card lies, or it is not read."""
        cards = self.machine.feed.cards()
        if position or not cards or cards[0].face is None:
            return None
        if "misread" in self.machine.faults.struck("misread"):
            self.machine.counters.misreads += 1
            return None
        return {"symbology": SYMBOLOGY_CARD_BYTE, "code_raw": bytes([cards[0].face.code])}
