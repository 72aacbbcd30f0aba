"""The parts of the lab that need no machine: the first file system, the order of modules, QEMU's monitor, the free port."""

from __future__ import annotations

import gzip
import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from hil.lab import initramfs
from hil.lab.attach import free_port
from hil.lab.modules import in_order, read_needs
from hil.lab.packages import LabError, run, unpack
from hil.lab.qmp import Monitor

NEEDS = read_needs("kernel/a.ko: kernel/b.ko kernel/c-d.ko\nkernel/b.ko: kernel/c-d.ko\nkernel/c-d.ko:\nkernel/e.ko:\n")


def unpacked(archive: bytes) -> dict[str, tuple[int, bytes]]:
    """Name: mode and content, read as the kernel's documentation of `newc` has it."""
    found, at = {}, 0
    while True:
        assert archive[at : at + 6] == b"070701"
        mode, size, name_size = (int(archive[at + 6 + 8 * field : at + 14 + 8 * field], 16) for field in (1, 6, 11))
        name = archive[at + 110 : at + 110 + name_size - 1].decode()
        begin = -(-(at + 110 + name_size) // 4) * 4
        if name == "TRAILER!!!":
            return found
        found[name] = (mode, archive[begin : begin + size])
        at = -(-(begin + size) // 4) * 4


def test_the_first_file_system_has_the_shell_the_modules_and_what_runs_first() -> None:
    files = unpacked(gzip.decompress(initramfs.pack(b"shell", {"00-b.ko": b"one", "01-a.ko": b"other"})))
    assert files["bin/busybox"] == (0o100755, b"shell")
    assert files["init"][0] == 0o100755
    assert files["modules/01-a.ko"] == (0o100644, b"other")
    assert files["new"][0] == 0o040755


def test_a_module_comes_after_what_it_needs_and_once() -> None:
    assert in_order(["a", "c_d", "built-in", "e"], NEEDS) == ["kernel/c-d.ko", "kernel/b.ko", "kernel/a.ko", "kernel/e.ko"]


def test_the_first_free_port_is_of_the_right_speed() -> None:
    status = (
        "hub port sta spd dev      sockfd local_busid\n"
        "hs  0000 006 002 00010002 000003 1-1\n"
        "ss  0008 004 000 00000000 000000 0-0\n"
        "hs  0001 004 000 00000000 000000 0-0\n"
    )
    assert free_port(status) == "0001"
    with pytest.raises(OSError, match="no port"):
        free_port(status[: status.rindex("hs")])


def test_a_program_that_fails_or_is_missing_is_told(tmp_path: Path) -> None:
    with pytest.raises(LabError, match="no program"):
        run(["no-such-program-of-the-lab"])
    with pytest.raises(LabError, match=r"dpkg-deb|no program"):
        unpack(tmp_path / "none.deb", tmp_path)


@contextmanager
def a_qemu(folder: Path, *answers: dict[str, object]) -> Iterator[tuple[Path, list[dict[str, object]]]]:
    """Something that greets and answers as QEMU's monitor does, each line with the next answers up to a `return`."""
    path, asked, waiting = folder / "qmp", list[dict[str, object]](), list(answers)

    def serve() -> None:
        line, _ = listener.accept()
        with line, line.makefile("rwb", buffering=0) as file:
            file.write(b'{"QMP": {}}\n')
            for request in iter(file.readline, b""):
                asked.append(json.loads(request))
                while waiting:
                    told = waiting.pop(0)
                    file.write(json.dumps(told).encode() + b"\n")
                    if "event" not in told:
                        break

    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        listener.listen()
        thread = threading.Thread(target=serve)
        thread.start()
        yield path, asked
        thread.join()


def test_events_are_kept_while_an_answer_is_waited_for(tmp_path: Path) -> None:
    gone = {"event": "DEVICE_DELETED", "data": {"device": "shoe"}}
    with a_qemu(tmp_path, {"return": {}}, gone, {"return": {"done": True}}) as (path, asked):
        monitor = Monitor(path)
        assert monitor.command("device_del", id="shoe") == {"done": True}
        monitor.wait_event("DEVICE_DELETED", "shoe")
        monitor.close()
    assert [each["execute"] for each in asked] == ["qmp_capabilities", "device_del"]


def test_a_refusal_of_the_machine_is_told_with_its_words(tmp_path: Path) -> None:
    with a_qemu(tmp_path, {"return": {}}, {"error": {"class": "GenericError", "desc": "no such bus"}}) as (path, _):
        monitor = Monitor(path)
        with pytest.raises(LabError, match="no such bus"):
            monitor.command("device_add", driver="usb-serial")
        monitor.close()


def test_a_machine_without_a_monitor_is_told(tmp_path: Path) -> None:
    with pytest.raises(LabError, match="cannot be reached"):
        Monitor(tmp_path / "none")
