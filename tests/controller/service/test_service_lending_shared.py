"""A device that shares its line is lent with its place on it, while the others on the line go on working."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from cobs import cobs

from controller.cli.main import run
from controller.service.relay import LineRelay, RelayPlace, piece, read_piece
from controller.technician.relayed_line import RelayedLine
from device_profiles.loader import load_profile
from firmware_bridge.checksum import CHECKSUMS_16
from firmware_bridge.link.arbiter import is_bundle_for
from firmware_bridge.transport.base import PortRefusedError, TransportState
from firmware_bridge.transport.bus import BusLine
from firmware_bridge.transport.tcp import TcpTransport
from hil.endtoend.bench import Bench, Pair, open_bench, scripted_settings
from hil.endtoend.daemon import ApiClient, Daemon, DeviceEntry, TableEntry, links_of, run_daemon, working_folder
from hil.simulated.cable import BusCable
from hil.simulated.ends import PtyEnd

TABLE = "T1"


@pytest.fixture
def pit() -> Iterator[tuple[Bench, Pair, Daemon]]:
    """A daemon whose shoe and shuffler share a line; the shoe's technician switch is on."""
    with open_bench() as bench, working_folder() as folder:
        cable = BusCable(PtyEnd(links_of(folder) / "rail"))
        settings = [scripted_settings(kind, f"SN-{kind}", links_of(folder)) for kind in ("shoe", "shuffler")]
        pair = Pair(*(
            bench.start(msgspec.structs.replace(one, address=at, technician_switch=True), cable) for at, one in enumerate(settings, 1)
        ))  # fmt: skip
        devices = tuple(DeviceEntry(name=s.kind, kind=s.kind, serial=s.serial, port=f"bus://rail/{at}") for at, s in enumerate(settings, 1))
        table = TableEntry(TABLE, "fast-action-hold-em", "manual-shoe", {}, devices, bus="rail")
        with run_daemon(folder, [table]) as daemon:
            for device in (pair.shoe, pair.shuffler):
                bench.run(device.host_running(20.0))
            yield bench, pair, daemon


def states(client: ApiClient) -> dict[str, object]:
    return {name: told["state"] for name, told in client.view(TABLE).devices.items()}


@pytest.mark.requirement("EQ-78", "EQ-79", "SDP/1 1.1")
def test_a_device_of_a_shared_line_is_lent_and_the_other_goes_on(
    pit: tuple[Bench, Pair, Daemon], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bench, pair, daemon = pit
    where = ["--config", str(daemon.folder / "shoed.toml"), "--at", f"{TABLE}/shoe"]
    assert run(["device", "linetest", *where]) == 2
    assert "holds this line, the bus rail" in capsys.readouterr().err
    grant = ["--ticket", "WO-9", "--by", "technician:T3", "--second", "supervisor:S1", "--work-log", str(tmp_path / "work.jsonl")]
    left = asyncio.run_coroutine_threadsafe(pair.shuffler.until(lambda now: not now.host_running, within_s=300), bench._loop)
    assert run(["device", "selftest", *where, *grant]) == 0
    assert "All 4 steps are good." in capsys.readouterr().out
    client = daemon.client()
    try:
        until_s = time.monotonic() + 30
        while states(client) != {"shoe": "running", "shuffler": "running"}:  # its table has it again
            assert time.monotonic() < until_s, states(client)
        assert client.view(TABLE).outcome.state == "closed"
    finally:
        client.close()
    assert not left.done(), "the shuffler lost its host meanwhile"
    left.cancel()


def frame(address: int) -> bytes:
    body = bytes([0x10, address, 1, 0, 0, 0])
    crc = CHECKSUMS_16[load_profile("sdp1").framing.crc](body)
    return b"\0" + cobs.encode(body + crc.to_bytes(2)) + b"\0"


def test_a_technician_speaks_to_the_lent_device_alone() -> None:
    assert is_bundle_for(3, frame(3))
    assert is_bundle_for(3, frame(3) + frame(3))
    for other in (frame(4), frame(3) + frame(4), frame(3)[1:], frame(3)[:-1], b"\0\0", b"", b"\0\1\2\3\0", b"\0\7\0"):
        assert not is_bundle_for(3, other), other


async def connected(place: RelayPlace, secret: str) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    reader, writer = await asyncio.open_connection(place.host, place.port)
    writer.write(secret.encode())
    return reader, writer


@pytest.mark.requirement("EQ-78")
async def test_the_place_is_for_who_knows_the_secret_and_for_one_at_a_time() -> None:
    said, is_said, is_lost = bytearray(), asyncio.Event(), asyncio.Event()

    async def hear(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while chunk := await reader.read(100):
            said.extend(chunk)
            is_said.set()
        writer.close()

    server = await asyncio.start_server(hear, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    line = BusLine(lambda: TcpTransport("127.0.0.1", port), load_profile("sdp1").framing, (3, 4))
    relay = LineRelay(line.taps[3])
    place = await relay.start("127.0.0.1")
    assert (place.address, place.sharers) == (3, 2)
    heard: list[bytes] = []
    stranger, strangers_writer = await connected(place, "0" * len(place.secret))
    assert await stranger.read() == b""
    strangers_writer.close()
    mine = RelayedLine(place)
    await mine.open(heard.append, lambda _error: is_lost.set())
    mine.send(frame(3))
    await is_said.wait()
    second, seconds_writer = await connected(place, place.secret)
    await mine.close()
    assert await read_piece(second) == b""  # its turn, once the first has left
    seconds_writer.write(piece(frame(4)))
    assert await second.read() == b""  # that is another one's address
    seconds_writer.close()
    await mine.open(heard.append, lambda _error: is_lost.set())
    await relay.end()
    await is_lost.wait()
    assert (mine.state, line.taps[3].state, bytes(said)) == (TransportState.BROKEN, TransportState.CLOSED, frame(3))
    await mine.close()
    with pytest.raises(PortRefusedError):
        await mine.open(heard.append, lambda _error: is_lost.set())
    server.close()
    await server.wait_closed()
