"""Monitor, capture and replay: events are kept before they are acknowledged, and a capture tells a session the same again."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from controller.cli.main import run
from controller.technician.reach import codec_of
from controller.technician.replaying import replay
from device_profiles.plain.frames import Way
from firmware_bridge.capture.pcapng_file import read_capture
from hil.mechanism.cards import fresh_deck

Beside = Callable[..., Any]


def test_events_are_stored_then_acknowledged(beside: Beside, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shoe = beside(past={"events": 40})
    file = tmp_path / "a.pcapng"
    words = ["--port", shoe.url, "--seconds", "1.5"]
    assert run(["device", "monitor", *words, "--message", "button", "--json"]) == 0
    assert not any("button" in line for line in capsys.readouterr().out.splitlines())
    assert shoe.device.journal.acknowledged == 0, "a look takes nothing from the device's table"
    assert run(["device", "monitor", *words, "--events", "--capture", str(file), "--message", "button", "--json"]) == 0
    seen = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [line["fields"]["eseq"] for line in seen if "fields" in line] == list(range(1, 41))
    assert shoe.device.journal.acknowledged == 41
    assert file.stat().st_mode & 0o777 == 0o600
    assert run(["device", "replay", str(file), "--json"]) == 0
    [told] = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert (told["events"], told["alike"]) == (41, told["said"])


@pytest.mark.requirement("EQ-72")
def test_a_drawn_card_is_hidden_on_the_screen(beside: Beside, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shoe = beside()
    shoe.do(lambda device: device.load(fresh_deck()))
    shoe.do(lambda device: device.draw_card(fresh_deck()[20].face))
    words = ["device", "monitor", "--port", shoe.url, "--seconds", "1", "--message", "card_out_of_flow"]
    assert run([*words, "--events", "--capture", str(tmp_path / "a.pcapng")]) == 0
    line = next(line for line in capsys.readouterr().out.splitlines() if "card_out_of_flow" in line)
    assert "card=(hidden card)" in line.replace("'", "")
    assert "··" in line


def test_a_sealed_capture_is_compared_with_its_key_alone(beside: Beside, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shoe = beside(key=bytes(range(1, 17)), past={"events": 9})
    (key := tmp_path / "key").write_text(bytes(range(1, 17)).hex())
    file = tmp_path / "a.pcapng"
    words = ["--port", shoe.url, "--serial", "SIM-SHOE-1", "--key-file", str(key), "--seconds", "2"]
    assert run(["device", "capture", str(file), *words, "--events"]) == 0
    capsys.readouterr()
    assert run(["device", "replay", str(file), "--lines"]) == 0
    text = capsys.readouterr().out
    assert "its session is sealed" in text
    assert " button " not in text
    assert run(["device", "replay", str(file), "--key-file", str(key), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["running"], told["events"], told["alike"]) == (True, 10, told["said"])


def test_a_capture_ends_at_its_size(beside: Beside, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    import asyncio

    from controller.cli import device_monitor
    from controller.technician.reach import Reach

    shoe = beside(past={"events": 200})
    file = tmp_path / "a.pcapng"
    asyncio.run(device_monitor.record_device(Reach(port=shoe.url), file, seconds=20, most_bytes=3000, events=True, as_json=True))
    told = json.loads(capsys.readouterr().out)
    assert told["full"]
    assert file.stat().st_size <= 3200
    held = b"".join(record.content for record in read_capture(file) if record.way is Way.IN)
    assert told["events_stored"] >= shoe.device.journal.acknowledged
    assert len(held) > 1000


def test_what_a_host_said_otherwise_is_a_difference(beside: Beside, tmp_path: Path) -> None:
    shoe = beside(past={"events": 9})
    file = tmp_path / "a.pcapng"
    assert run(["device", "capture", str(file), "--port", shoe.url, "--seconds", "1", "--events"]) == 0
    codec, records = codec_of("sdp1"), list(read_capture(file))
    assert replay(records, codec).is_alike
    deaf = [record for record in records if record.way is Way.OUT or len(record.content) < 60]
    assert not replay(deaf, codec).is_alike


def test_every_plain_profile_replays_its_vectors(tmp_path: Path) -> None:
    from device_profiles.loader import profile_names
    from device_profiles.plain.loader import is_plain, load_plain
    from firmware_bridge.capture.pcapng_file import Captured

    for name in profile_names():
        if is_plain(name):
            records = [Captured("x", Way.IN, 1.0 + at, vector.wire_bytes()) for at, vector in enumerate(load_plain(name).vectors)]
            told = replay(records, codec_of(name))
            assert told.why_not_compared is not None
            assert told.is_alike
