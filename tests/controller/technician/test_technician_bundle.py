"""The support file: what is in it, what never is, and that it comes about whatever is broken."""

from __future__ import annotations

import errno
import io
import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

import pytest

from controller.cli.main import run
from controller.errors import ShoedError
from controller.journal.clock import SystemClock
from controller.journal.entry import EntryDraft
from controller.journal.journal import open_journal
from controller.journal.keys import create_keys
from controller.service.config_file import load_config
from controller.service.persons import hash_code
from controller.technician.bundle import write_bundle
from controller.technician.bundle_parts import REMOVED, TAIL_BYTES, Part, parts_of
from device_profiles.loader import load_profile
from device_profiles.plain.frames import Way
from firmware_bridge.capture.pcapng_file import CaptureWriter

NOON_S = 1_767_225_600.0
TOKEN = "canary-token-0123456789abcdef0123456789abcdef"
DEVICE_KEY = "c0ffee00c0ffee11c0ffee22c0ffee33"
COMMENT = "canary-comment"
PERSON_CODE = hash_code("canary-code", bytes(range(16)))


class Box:
    """The folder of a box beside a table whose daemon is dead."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.file = folder, folder / "table.toml"
        self.file.write_text(
            f"""# {COMMENT}
config = 1
journal = {{ path = "journal.db", key_file = "keys.json" }}
api = {{ port_file = "api.port" }}
log = {{ file = "log" }}
[[table]]
id = "T1"
game = "colorado-hold-em-poker"
method = "manual-shoe"
[[table.device]]
name = "shoe"
kind = "shoe"
port = "no-such-port"
serial = "SN-1"
security = 1
key_file = "shoe.key"
[[person]]
name = "T3"
role = "technician"
code = "{PERSON_CODE}"
"""
        )
        self.keys = create_keys(folder / "keys.json")
        (folder / "api.token").write_text(TOKEN)
        (folder / "shoe.key").write_text(DEVICE_KEY)
        spaced = " ".join(DEVICE_KEY[at : at + 2] for at in range(0, 32, 2))
        (folder / "log").write_text(f"ready\nAuthorization: Bearer {TOKEN}\nkey {DEVICE_KEY.upper()} {spaced}\n")
        work = folder / "state" / "shoed" / "work.jsonl"
        work.parent.mkdir(parents=True)
        work.write_text(json.dumps({"what": "command", "note": DEVICE_KEY}) + "\n")
        journal = open_journal(
            folder / "journal.db", tables=["T1"], seal_key=self.keys.seal_key, signing_key=self.keys.signing_key, clock=SystemClock()
        )
        body = b'{"act":"card","read":{"sealed":0},"note":"canary-body"}'
        journal.append_now(EntryDraft(table="T1", shoe=1, round=1, kind="card", body=body, cards=b"\x41"))
        journal.close()

    def record(self, card: int) -> None:
        """Put a capture of an open line there, on which this card left the shoe."""
        profile = load_profile("sdp1")
        [vector] = [vector for vector in profile.vectors if vector.id == "F06"]
        frame = bytearray.fromhex(vector.frame)
        frame[15] = card
        folder = self.folder / "captures" / "T1" / "shoe"
        folder.mkdir(parents=True, exist_ok=True)
        with (folder / "20260101T120000-01.pcapng").open("wb") as stream:
            writer = CaptureWriter(stream, "T1/shoe", profile="sdp1", most_bytes=1 << 20)
            writer.write(Way.IN, wire_of(bytes(frame[:-2])), NOON_S)

    def parts(self) -> dict[str, bytes]:
        return {part.name: part.content for part in parts_of(load_config(self.file))}

    def secrets(self) -> list[bytes]:
        spaced = " ".join(DEVICE_KEY[at : at + 2] for at in range(0, 32, 2))
        journal = json.loads((self.folder / "keys.json").read_text())
        told = [
            TOKEN,
            DEVICE_KEY,
            DEVICE_KEY.upper(),
            spaced,
            journal["seal_key"],
            journal["signing_key"],
            PERSON_CODE,
            COMMENT,
            "canary-body",
        ]
        return [text.encode() for text in told] + [self.keys.seal_key, bytes.fromhex(DEVICE_KEY)]


def wire_of(frame: bytes) -> bytes:
    import binascii

    import cobs.cobs

    crc = binascii.crc_hqx(frame, 0xFFFF) ^ 0xFFFF
    return b"\0" + cobs.cobs.encode(frame + crc.to_bytes(2, "big")) + b"\0"


@pytest.fixture
def box(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Box:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return Box(tmp_path)


@pytest.mark.requirement("EQ-72", "T-11")
def test_no_secret_is_in_any_part(box: Box) -> None:
    box.record(0x41)
    parts = box.parts()
    for name, content in parts.items():
        for secret in box.secrets():
            assert secret not in content, name
    assert parts["logs/daemon.log"].decode() == f"ready\nAuthorization: Bearer {REMOVED}\nkey {REMOVED} {REMOVED}\n"
    assert json.loads(parts["logs/work.jsonl"])["note"] == REMOVED
    assert json.loads(parts["configuration.json"])["table"][0]["device"][0]["key_file"] == "shoe.key"
    [head] = [json.loads(line) for line in parts["journal/heads.jsonl"].splitlines()]
    assert (head["number"], head["kind"], set(head) & {"body", "sealed"}) == (1, "card", set())
    assert json.loads(parts["journal/check.json"])["damage"] is None
    assert json.loads(parts["versions.json"])["packages"]["msgspec"]


@pytest.mark.requirement("EQ-72")
def test_a_hidden_card_changes_nothing_in_it(box: Box) -> None:
    seen = []
    for card in (0x41, 0x2D):
        box.record(card)
        seen.append({name: content for name, content in box.parts().items() if name.startswith("captures/")})
    assert seen[0] == seen[1]
    [transcript] = seen[0].values()
    line = json.loads(transcript)
    assert (line["message"], line["fields"]["card"], "··" in line["hex"]) == ("card_read", "(hidden card)", True)


def test_what_cannot_be_had_is_told_in_its_place(box: Box) -> None:
    (box.folder / "log").unlink()
    (box.folder / "journal.db").write_bytes(b"no journal at all" * 100)
    (box.folder / "captures" / "T1" / "shoe").mkdir(parents=True)
    (box.folder / "captures" / "T1" / "shoe" / "20260101T120000-01.pcapng").write_bytes(b"rubbish")
    parts = box.parts()
    missing = {name for name in parts if name.endswith(".missing.txt")}
    assert missing >= {
        "daemon/tables.json.missing.txt", "daemon/metrics.txt.missing.txt", "logs/daemon.log.missing.txt",
        "journal/heads.jsonl.missing.txt", "captures/T1/shoe/20260101T120000-01.jsonl.missing.txt",
    }  # fmt: skip
    assert b"cannot be asked" in parts["daemon/tables.json.missing.txt"]
    findings = json.loads(parts["findings.json"])
    assert "wrong" in {finding["grade"] for finding in findings}
    assert "versions.json" in parts


def test_a_flipped_bit_of_the_journal_is_told(box: Box) -> None:
    content = bytearray((box.folder / "journal.db").read_bytes())
    at = content.index(b"canary-body")
    content[at] ^= 1
    (box.folder / "journal.db").write_bytes(content)
    assert json.loads(box.parts()["journal/check.json"])["damage"] is not None


def test_a_long_log_is_told_from_its_end(box: Box) -> None:
    (box.folder / "log").write_bytes(b"a" * TAIL_BYTES + b"the end\n")
    log = box.parts()["logs/daemon.log"]
    assert (len(log), log[-8:]) == (TAIL_BYTES, b"the end\n")


def test_it_is_listed_then_confirmed_then_written(box: Box, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    file = box.folder / "support.zip"
    words = ["doctor", "--config", str(box.file), "--bundle", str(file)]
    monkeypatch.setattr("sys.stdin", io.StringIO("n\n"))
    assert run(words) == 130
    assert "journal/heads.jsonl" in capsys.readouterr().out
    assert not file.exists()
    assert run([*words, "--yes", "--json"]) == 0
    told = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert told[-1] == {"bundle": str(file), "bytes": file.stat().st_size}
    with zipfile.ZipFile(file) as archive:
        assert archive.namelist() == ["README.txt", *[row["file"] for row in told[:-1]]]
        everything = b"".join(archive.read(name) for name in archive.namelist())
    assert not [secret for secret in box.secrets() if secret in everything or secret in file.read_bytes()]
    assert file.stat().st_mode & 0o777 == 0o600
    assert run([*words, "--yes"]) == 2
    assert "(bundle-not-written)" in capsys.readouterr().err


def full_disk(after: int) -> Callable[[Path], BinaryIO]:
    class Filling(io.FileIO):
        def write(self, content: object) -> int:
            if self.tell() >= after:
                raise OSError(errno.ENOSPC, "No space left on device")
            return super().write(content)  # type: ignore[arg-type]

    return lambda path: io.BufferedWriter(Filling(path, "xb"), 64)


@pytest.mark.parametrize("after", [0, 100])
def test_a_full_disk_is_told_and_leaves_no_half_file(tmp_path: Path, after: int) -> None:
    file = tmp_path / "support.zip"
    parts = [Part("a", "something", bytes(range(256)) * 50), Part("b", "more", b"b" * 5_000)]
    with pytest.raises(ShoedError, match="No space left on device") as told:
        write_bundle(file, parts, opener=full_disk(after))
    assert told.value.code == "bundle-not-written"
    assert not file.exists()
