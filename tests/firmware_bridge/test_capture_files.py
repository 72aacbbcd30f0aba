"""Captures: what went over a line, kept as it was, cut into frames, and named by an analyser that knows nothing of this product."""

from __future__ import annotations

import io
import shutil
import subprocess
from pathlib import Path

import pytest

from device_profiles.loader import load_profile
from device_profiles.plain.frames import Way
from firmware_bridge.capture.dissector import lua_of, lua_of_sdp1
from firmware_bridge.capture.frames import frames_of
from firmware_bridge.capture.pattern_parts import parts_of
from firmware_bridge.capture.pcapng_file import Captured, CaptureError, CaptureWriter, read_capture
from firmware_bridge.capture.tap import TappedTransport
from firmware_bridge.codec import Codec
from firmware_bridge.transport.base import OnBytes, OnLost, Transport, TransportState
from tests.firmware_bridge.plain_samples import PLAIN, codec_of, samples

NOON_S = 1_700_000_000.25
BOTH = (Way.IN, Way.OUT)
needs_tshark = pytest.mark.skipif(shutil.which("tshark") is None, reason="tshark is not installed: apt-get install tshark")


def written(path: Path, records: list[Captured], profile: str = "sdp1", most_bytes: int = 1 << 20) -> CaptureWriter:
    with path.open("wb") as stream:
        writer = CaptureWriter(stream, "shoe", profile=profile, most_bytes=most_bytes)
        for record in records:
            writer.write(record.way, record.content, record.at_s)
    return writer


def test_what_was_captured_is_read_back(tmp_path: Path) -> None:
    records = [Captured("shoe", way, NOON_S + number, bytes((number, 0, 255))) for number, way in enumerate((Way.IN, Way.OUT, Way.IN))]
    written(tmp_path / "a.pcapng", records)
    assert list(read_capture(tmp_path / "a.pcapng")) == records


def test_a_capture_cut_off_anywhere_gives_what_it_has(tmp_path: Path) -> None:
    records = [Captured("shoe", Way.IN, NOON_S, bytes((number,)) * 9) for number in range(4)]
    written(tmp_path / "a.pcapng", records)
    whole = (tmp_path / "a.pcapng").read_bytes()
    most = 0
    for size in range(len(whole)):
        (tmp_path / "b.pcapng").write_bytes(whole[:size])
        try:
            found = list(read_capture(tmp_path / "b.pcapng"))
        except CaptureError:
            found = []
        assert found == records[: len(found)]
        assert len(found) >= most
        most = len(found)
    assert most == 3


@pytest.mark.parametrize("content", [b"hello, this is no capture at all", bytes(64), b"\x0a\x0d\x0d\x0a" + bytes(40)])
def test_another_file_is_said_to_be_none(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "x").write_bytes(content)
    with pytest.raises(CaptureError):
        list(read_capture(tmp_path / "x"))
    with pytest.raises(CaptureError):
        list(read_capture(tmp_path / "missing"))


def test_a_capture_stops_at_its_size_and_says_so() -> None:
    stream = io.BytesIO()
    writer = CaptureWriter(stream, "shoe", profile="sdp1", most_bytes=1000)
    for _ in range(100):
        writer.write(Way.IN, bytes(50), NOON_S)
    assert writer.is_full
    assert 0 < writer.records < 20
    assert len(stream.getvalue()) < 1100


class Pipe(Transport):
    """A transport whose other end is the test."""

    state = TransportState.OPEN  # type: ignore[assignment]

    async def open(self, on_bytes: OnBytes, on_lost: OnLost) -> None:
        self.deliver = on_bytes

    def send(self, chunk: bytes) -> None:
        self.sent = chunk

    async def write(self, chunk: bytes, deadline_s: float = 1.0) -> None:
        self.sent = chunk

    def rest(self, seconds: float) -> None:
        self.rested_s = seconds

    async def close(self) -> None:
        self.closed = True


async def test_a_tap_hears_both_ways_and_changes_nothing() -> None:
    pipe, heard, got = Pipe("pipe"), [], []
    tapped = TappedTransport(pipe, lambda way, chunk: heard.append((way, chunk)))
    await tapped.open(got.append, lambda error: None)
    pipe.deliver(b"in")
    tapped.send(b"out")
    assert pipe.sent == b"out"
    await tapped.write(b"more")
    await tapped.close()
    assert (got, pipe.sent, pipe.closed) == ([b"in"], b"more", True)
    assert heard == [(Way.IN, b"in"), (Way.OUT, b"out"), (Way.OUT, b"more")]


@pytest.mark.parametrize(
    ("pattern", "constants", "least", "most"),
    [
        (r":IN#[0-9A-F]{8}", [(":IN#",)], 12, 12),
        (r"\[(?P<m>Game|Burn)\]<Card:(?P<r>10|[2-9])>", [("[",), ("Game", "Burn"), ("]<Card:",), (">",)], 14, 15),
        (r"a?b+c*", [("b",)], 1, 2 << 16),
        (r"(?:x){2,3}", [("x",)], 2, 3),
    ],
)
def test_the_constant_parts_of_a_pattern(pattern: str, constants: list[tuple[str, ...]], least: int, most: int) -> None:
    parts = parts_of(pattern)
    assert (parts.constants, parts.least) == (constants, least)
    assert parts.most <= most


def named_by_tshark(folder: Path, name: str, script: str, records: list[Captured]) -> list[str]:
    (folder / "p.lua").write_text(script, encoding="utf-8")
    written(folder / "f.pcapng", records, profile=name)
    command = ["tshark", "-X", f"lua_script:{folder / 'p.lua'}", "-r", str(folder / "f.pcapng"), "-T", "fields", "-e"]
    done = subprocess.run([*command, f"{name.replace('-', '_')}.message"], capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


@needs_tshark
@pytest.mark.parametrize("name", PLAIN)
def test_an_analyser_names_every_message_of_every_profile(name: str, tmp_path: Path) -> None:
    codec = codec_of(name)
    chunks = [(way, message, wire) for way in BOTH for message, wire in samples(codec, way).items()]
    halves = [(way, part) for way, _, wire in chunks for part in (wire[:2], wire[2:]) if part]
    if codec.profile.framing.grammars[0].__class__.__name__ == "Reports":
        halves = [(way, wire) for way, _, wire in chunks]  # a report is never cut
    frames = list(frames_of([Captured("shoe", way, NOON_S + at, part) for at, (way, part) in enumerate(halves)], codec))
    assert named_by_tshark(tmp_path, name, lua_of(codec.profile), frames) == [message for _, message, _ in chunks]


@needs_tshark
def test_an_analyser_names_the_frames_of_sdp1(tmp_path: Path) -> None:
    profile = load_profile("sdp1")
    wires = [bytes.fromhex(vector.wire) for vector in profile.vectors if vector.wire is not None and vector.message is not None]
    meant = [vector.message or "" for vector in profile.vectors if vector.wire is not None and vector.message is not None]
    frames = list(frames_of([Captured("shoe", Way.IN, NOON_S + at, wire) for at, wire in enumerate(wires)], Codec(profile)))
    assert len(frames) == len(wires)
    for told, message in zip(named_by_tshark(tmp_path, "sdp1", lua_of_sdp1(profile), frames), meant, strict=True):
        kind, _, name = message.partition(".")
        assert told == "sealed" or told == f"{kind.rstrip('s')} {name}" or kind == "event_ack", (told, message)


def test_an_ear_hides_nothing_of_the_transport_that_it_listens_to() -> None:
    missing = [name for name, member in vars(Transport).items() if callable(member) or isinstance(member, property)]
    own = vars(TappedTransport)
    assert [name for name in missing if not name.startswith("_") and name not in own] == []
