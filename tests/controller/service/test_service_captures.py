"""A daemon that records its lines: from its start, on a technician's word, and what an analyser makes of it."""

from __future__ import annotations

import asyncio
import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from controller.journal.keys import load_keys
from controller.journal.reader import open_reader
from controller.technician.reach import codec_of
from controller.technician.replaying import seen_in
from device_profiles.plain.frames import Way
from firmware_bridge.capture.pcapng_file import read_capture

PATH = "/v1/tables/T1/devices/shoe/capture"
BY = {"by": "technician:T3", "second": "supervisor:S1"}
needs_tshark = pytest.mark.skipif(shutil.which("tshark") is None, reason="tshark is not installed: apt-get install tshark")


async def shoed(*words: str) -> tuple[int, str]:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", "from controller.cli.main import main; main()", *words,
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT,
    )  # fmt: skip
    out, _ = await process.communicate()
    assert process.returncode is not None
    return process.returncode, out.decode()


def content_of(*files: Path) -> bytes:
    return b"".join(record.content for file in files for record in read_capture(file) if record.way is Way.IN)


@pytest.mark.requirement("EQ-84")
async def test_a_line_is_recorded_from_the_start_and_switched_by_a_technician(new_site: Any) -> None:
    async with new_site() as site:
        site.configure(device_extra="capture = { on = true, most_mb = 5 }", extra='captures = { directory = "lines" }')
        async with await site.start() as client:
            await site.shoe.host_running()
            while not (state := (await client.get(PATH)).json())["files"]:  # noqa: ASYNC110  # it is another process that makes it
                await asyncio.sleep(0.02)
            assert (state["on"], state["trouble"]) == (True, "")
            assert 'shoed_capture_on{device="shoe",table="T1"} 1' in (await client.get("/v1/metrics")).text
            for body, code in (
                ({}, "bad-switch"),
                ({"on": 1, **BY}, "bad-switch"),
                ({"on": True, "by": "supervisor:S1"}, "wants-technician"),
                ({"on": True, "by": "technician:T3"}, "wants-second-person"),
                ({"on": True, "by": "technician:T3", "second": "supervisor:T3"}, "wants-second-person"),
            ):
                answer = await client.post(PATH, json=body)
                assert (answer.status_code, answer.json()["code"]) == (400, code)
            assert (await client.post(PATH.replace("shoe", "shoo"), json={"on": True, **BY})).status_code == 404
            assert (await client.post(PATH, json={"on": True, **BY})).json()["on"] is True
            assert (await client.post(PATH, json={"on": False, "by": "technician:T3"})).json()["on"] is False
            assert await site.end() == 0
        files = sorted((site.folder / "lines" / "T1" / "shoe").iterdir())
        assert str(files[0]) in state["files"]
        assert b"SIM-SHOE-1" in content_of(*files)
        assert {file.stat().st_mode & 0o777 for file in files} == {0o600}
        keys = load_keys(site.folder / "keys.json")
        with open_reader(site.folder / "journal.db", seal_key=keys.seal_key) as reader:
            told = [json.loads(entry.body) for entry in reader.read_entries("T1") if entry.kind == "capture"]
        assert told == [
            {"act": "capture", "device": "shoe", "on": True, "by": "technician:T3", "second": "supervisor:S1"},
            {"act": "capture", "device": "shoe", "on": False, "by": "technician:T3", "second": ""},
        ]
        assert await site.start() is not None  # recovery passes over them
        assert await site.end() == 0


@pytest.mark.slow  # five programs, one after another
@needs_tshark
async def test_the_daemon_records_for_the_technician_and_an_analyser_reads_it(new_site: Any, person: Any, tmp_path: Path) -> None:
    async with new_site() as site, await site.start() as client:
        await person(client).act("open", by="supervisor:S1")
        await site.shoe.host_running()
        where = ["--config", str(site.file), "--at", "T1/shoe"]
        file, frames, script = tmp_path / "line.pcapng", tmp_path / "frames.pcapng", tmp_path / "sdp1.lua"
        code, text = await shoed("device", "capture", str(file), *where)
        assert (code, "Add --by technician:NAME" in text, file.exists()) == (2, True, False), text
        code, text = await shoed("device", "capture", str(file), "--seconds", "1.5", "--by", BY["by"], "--second", BY["second"], *where)
        assert (code, "records of table T1, device shoe" in text) == (0, True), text
        shown = await person(client).show()
        assert shown["outcome"]["state"] != "closed"  # the table went on
        assert (await client.get(PATH)).json()["on"] is False
        script.write_text((await shoed("profile", "dissector", "sdp1"))[1])
        assert (await shoed("device", "replay", str(file), "--frames", str(frames)))[0] in (0, 1)
        command = ["tshark", "-X", f"lua_script:{script}", "-r", str(frames), "-T", "fields", "-e", "sdp1.message"]
        named = (await asyncio.to_thread(subprocess.run, command, capture_output=True, text=True, check=True)).stdout
        assert "PING" in named
        assert await site.end() == 0


@pytest.mark.requirement("EQ-72", "SDP/1 1.10")
async def test_a_sealed_line_stays_sealed_in_a_capture(new_site: Any, person: Any, deck: Any) -> None:
    key = bytes(range(16))
    async with new_site(key=key) as site:
        (site.folder / "key").write_text(key.hex())
        site.configure(device_extra='security = 1\nkey_file = "key"\ncapture = { on = true }')
        async with await site.start() as client:
            await site.shoe.host_running()
            answer = await client.post(PATH, json={"on": True, "by": "technician:T3"})
            assert answer.json()["on"] is True  # nobody sees a card in it, so one person will do
            site.shoe.load(deck())
            await site.shoe.all_acknowledged()
            assert await site.end() == 0
        files = sorted((site.folder / "captures" / "T1" / "shoe").iterdir())
        records = [record for file in files for record in read_capture(file)]
        assert len(files) == 2
        messages = {seen.message for seen in seen_in(records, codec_of("sdp1"))}
        assert "sealed" in messages
        assert not messages & {"shoe_loaded", "event_resume", "status"}
