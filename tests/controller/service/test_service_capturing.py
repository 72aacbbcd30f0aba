"""The capture of a line beside the daemon's work: bounded, never waiting, and readable afterwards."""

from __future__ import annotations

import errno
import io
import os
import threading
from pathlib import Path
from typing import BinaryIO

import pytest

from controller.service.capturing import FILES, FREE_LEFT_BYTES, TRY_AGAIN_S, CaptureBounds, CaptureRun, LineCapture, make_room
from device_profiles.plain.frames import Way
from firmware_bridge.capture.pcapng_file import read_capture

NOON_S = 1_767_225_600.0
PATIENCE_S = 30.0
PLENTY = lambda _folder: FREE_LEFT_BYTES * 2  # noqa: E731


def bounds(folder: Path, most_bytes: int = 1 << 20, most_s: float = 3600.0) -> CaptureBounds:
    return CaptureBounds(folder=folder / "T1" / "shoe", name="T1/shoe", profile="sdp1", most_bytes=most_bytes, most_s=most_s)


def heard_in(run: CaptureRun) -> list[tuple[Way, bytes]]:
    return [(record.way, record.content) for file in run.files if file.exists() for record in read_capture(file)]


def done(run: CaptureRun) -> CaptureRun:
    run.end()
    assert run.wait(PATIENCE_S)
    return run


def test_what_is_heard_is_read_back_in_order(tmp_path: Path) -> None:
    run = CaptureRun(bounds(tmp_path), free_bytes=PLENTY)
    run.hear(Way.OUT, b"\0\1", NOON_S)
    run.hear(Way.IN, b"\2\3", NOON_S + 1.5)
    done(run)
    [file] = run.files
    assert [(r.device, r.way, r.at_s, r.content) for r in read_capture(file)] == [
        ("T1/shoe", Way.OUT, NOON_S, b"\0\1"),
        ("T1/shoe", Way.IN, NOON_S + 1.5, b"\2\3"),
    ]
    assert (run.records, run.lost, run.trouble, file.stat().st_mode & 0o777) == (2, 0, "", 0o600)


def test_the_folder_keeps_its_size_and_the_newest(tmp_path: Path) -> None:
    limits = bounds(tmp_path, most_bytes=8_000)
    run = CaptureRun(limits, free_bytes=PLENTY)
    pieces = [bytes([number]) * 100 for number in range(200)]
    for number, piece in enumerate(pieces):
        run.hear(Way.IN, piece, NOON_S + number)
    done(run)
    left = list(limits.folder.iterdir())
    assert sum(file.stat().st_size for file in left) <= limits.most_bytes
    assert 1 < len(left) <= FILES < len(run.files)
    kept = [content for _, content in heard_in(run)]
    assert kept == pieces[-len(kept) :]
    assert run.records == len(pieces)


def test_the_folder_keeps_its_age(tmp_path: Path) -> None:
    limits = bounds(tmp_path, most_s=400.0)
    run = CaptureRun(limits, free_bytes=PLENTY)
    for number in range(10):
        run.hear(Way.IN, bytes([number]), NOON_S + number * 50)
    done(run)
    assert len(run.files) == 5  # a new one each hundred seconds
    for number, file in enumerate(run.files):
        os.utime(file, (NOON_S + number * 100, NOON_S + number * 100))
    make_room(limits, NOON_S + 600)
    assert [file.exists() for file in run.files] == [False, False, False, True, True]


def test_a_full_disk_is_told_loses_pieces_and_is_tried_again(tmp_path: Path) -> None:
    full = True

    def open_file(path: Path) -> BinaryIO:
        if full:
            raise OSError(errno.ENOSPC, "No space left on device")
        return path.open("xb")

    run = CaptureRun(bounds(tmp_path), open_file=open_file, free_bytes=PLENTY)
    run.hear(Way.IN, b"a", NOON_S)
    run.hear(Way.IN, b"b", NOON_S + 1)
    while run.lost < 2:
        run._thread.join(0.001)
    assert run.trouble == "No space left on device"
    full = False
    run.hear(Way.IN, b"c", NOON_S + TRY_AGAIN_S - 1)
    run.hear(Way.IN, b"d", NOON_S + TRY_AGAIN_S)
    done(run)
    assert (heard_in(run), run.lost, run.trouble) == ([(Way.IN, b"d")], 3, "")


def test_a_disk_that_fills_up_leaves_a_whole_capture(tmp_path: Path) -> None:
    class Filling(io.FileIO):
        def write(self, content: object) -> int:
            if self.tell() > 500:
                raise OSError(errno.ENOSPC, "No space left on device")
            return super().write(content)  # type: ignore[arg-type]

    run = CaptureRun(bounds(tmp_path), open_file=lambda path: io.BufferedWriter(Filling(path, "xb")), free_bytes=PLENTY)
    for number in range(40):
        run.hear(Way.IN, bytes([number]) * 20, NOON_S)
    done(run)
    assert run.lost
    assert [content for _, content in heard_in(run)] == [bytes([number]) * 20 for number in range(run.records)]


def test_the_last_room_of_the_disk_belongs_to_the_journal(tmp_path: Path) -> None:
    run = CaptureRun(bounds(tmp_path), free_bytes=lambda _folder: FREE_LEFT_BYTES - 1)
    run.hear(Way.IN, b"a", NOON_S)
    done(run)
    assert (run.files, run.lost) == ([], 1)
    assert "belong to the journal" in run.trouble


@pytest.mark.requirement("T-27")
def test_a_disk_that_hangs_costs_the_line_nothing(tmp_path: Path) -> None:
    opened, may_go_on = threading.Event(), threading.Event()

    def open_file(path: Path) -> BinaryIO:
        opened.set()
        assert may_go_on.wait(PATIENCE_S)
        return path.open("xb")

    run = CaptureRun(bounds(tmp_path, most_bytes=16 << 20), open_file=open_file, free_bytes=PLENTY)
    run.hear(Way.IN, b"first", NOON_S)
    assert opened.wait(PATIENCE_S)
    for _ in range(3_000):  # each call returns although nothing is written
        run.hear(Way.IN, bytes(1_000), NOON_S)
    assert (run.records, run.lost > 1_500) == (0, True)
    assert not run.wait(0.0)
    may_go_on.set()
    done(run)
    assert run.records + run.lost == 3_001


def test_the_switch_begins_a_new_file_and_ends_it(tmp_path: Path) -> None:
    capture = LineCapture(bounds(tmp_path), clock=lambda: NOON_S)
    capture.hear(Way.IN, b"nobody listens")
    assert (capture.state().on, capture.state().files, capture.switch_off()) == (False, (), None)
    capture.switch_on()
    capture.hear(Way.IN, b"a")
    first = capture._run
    capture.switch_on()
    capture.hear(Way.IN, b"b")
    second = capture.switch_off()
    assert first is not None
    assert second is not None
    assert first.wait(PATIENCE_S)
    assert second.wait(PATIENCE_S)
    capture.hear(Way.IN, b"c")
    assert heard_in(first) == [(Way.IN, b"a")]
    assert heard_in(second) == [(Way.IN, b"b")]
    state = capture.state()
    assert (state.on, state.records, len(state.files)) == (False, 1, 1)
