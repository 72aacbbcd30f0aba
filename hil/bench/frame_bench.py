"""P8: one SDP/1 frame through its profile, from wire bytes to the typed event, against a Modbus RTU frame of the same size."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final

from device_profiles.loader import load_profile
from device_profiles.plain.frames import Way
from device_profiles.plain.loader import load_plain
from firmware_bridge.codec import load_codec
from firmware_bridge.framing import CobsFramer
from firmware_bridge.plain.codec import PlainCodec
from firmware_bridge.plain.framers import PlainFrame
from hil.bench.measure import Goal, at_most, in_turn

if TYPE_CHECKING:
    from pymodbus.framer import FramerRTU
    from pymodbus.pdu.register_message import ReadHoldingRegistersResponse

CARD_READ = bytes.fromhex("00010104110320010101010207 0501E240410262066901 37E1F700".replace(" ", ""))
"""Example frame F06 of SDP/1 1.11: CARD_READ, ace of spades."""
HEADER = 3
CARD_READ_CODE = 0x20
REPEATS = 5_000
PLAIN: Final = ("angel-eye-ii-ex", "json-lines-reader")
MODBUS_REST: Final = 5
"""Address, function, length and checksum of a Modbus answer."""
REGISTERS = 10
"""A Modbus answer with ten registers has 25 bytes, as the link frame of F06 has."""


def measure_decode() -> list[Goal]:
    """Seconds per frame: COBS, checksum, codec; and per Modbus frame: checksum and decode."""
    from pymodbus.framer import FramerRTU  # noqa: PLC0415  # a peer, imported for this measurement alone
    from pymodbus.pdu import DecodePDU  # noqa: PLC0415
    from pymodbus.pdu.register_message import ReadHoldingRegistersResponse  # noqa: PLC0415

    framer = CobsFramer(load_profile("sdp1").framing, pauses=True)
    codec = load_codec("sdp1")
    modbus = FramerRTU(DecodePDU(False))
    answer = modbus.buildFrame(ReadHoldingRegistersResponse(registers=[7] * REGISTERS, dev_id=1))
    frame = framer.feed(CARD_READ, 0.0)[0]
    if not isinstance(frame, bytes) or abs(len(frame) + 2 - len(answer)) > 1:
        raise RuntimeError("the two frames are not of one size")

    def ours() -> float:
        started = time.perf_counter()
        for _ in range(REPEATS):
            for found in framer.feed(CARD_READ, 0.0):
                if isinstance(found, bytes):
                    codec.read_event(CARD_READ_CODE, found[HEADER:], replayed=False)
        return (time.perf_counter() - started) / REPEATS

    def peer() -> float:
        started = time.perf_counter()
        for _ in range(REPEATS):
            modbus.handleFrame(answer, 1, 0)
        return (time.perf_counter() - started) / REPEATS

    sdp1 = at_most("P8", "SDP/1 frame to event / Modbus RTU frame to message", *in_turn(ours, peer), limit=0.5)
    return [sdp1, *(_measure_plain(name, modbus, ReadHoldingRegistersResponse) for name in PLAIN)]


def _measure_plain(name: str, modbus: FramerRTU, answer_of: type[ReadHoldingRegistersResponse]) -> Goal:
    """The same for a card of a plain profile."""
    codec = PlainCodec(load_plain(name))
    wire = next(vector.wire_bytes() for vector in codec.profile.vectors if vector.message == codec.profile.simulation.card)
    answer = modbus.buildFrame(answer_of(registers=[7] * max(1, round((len(wire) - MODBUS_REST) / 2)), dev_id=1))
    framer = codec.framer(Way.IN)

    def ours() -> float:
        started = time.perf_counter()
        for _ in range(REPEATS):
            for found in framer.feed(wire, 0.0):
                heard = codec.read(found) if isinstance(found, PlainFrame) else None
                if heard is None or codec.event_of(heard, 1, 1) is None:
                    raise RuntimeError(f"the frame of {name} is no card")
        return (time.perf_counter() - started) / REPEATS

    def peer() -> float:
        started = time.perf_counter()
        for _ in range(REPEATS):
            modbus.handleFrame(answer, 1, 0)
        return (time.perf_counter() - started) / REPEATS

    return at_most("P8", f"{name} frame to event / Modbus RTU frame to message", *in_turn(ours, peer), limit=0.5)
