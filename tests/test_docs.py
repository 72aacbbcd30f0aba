"""The documents say what is true: everything shown in them is executed, checked against the code, or followed.

What a page may show, and what happens to it here:

- A `console` block: each line `$ command` (with the lines `> ...` that continue it) is run by a shell in a directory
  that the page has to itself, in the order of the page. The lines below it must appear in its output in that order;
  `...` stands for any text, alone on its line for any lines. `# exit 2` at the end of a command states its exit code,
  else 0 is wanted. A command ending in `&` runs until the page ends and must then stop on SIGTERM; its lines are
  waited for.
- A `toml` block whose first line is `# NAME.toml`: it is written to that directory, and loaded as what it is.
- A `python` block whose first line is `# NAME.py`: it is written to that directory, for the commands of the page to use; it has at most
  150 lines. Any other `python` block is run. A `json` block: each line is parsed.
- Links to other files of the repository lead to one.
"""

from __future__ import annotations

import ast
import binascii
import io
import itertools
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import textwrap
import threading
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

import pytest
from cobs import cobs

from controller.dealing.steps import StateKind
from controller.scenario.expect import EXPECT_KEYS
from controller.scenario.script import load_scenario
from controller.service.config_file import load_config
from controller.table.acts import By
from controller.table.codes import ALARMS, IRREGULARITIES, REFUSALS, Code
from controller.table.parse import ACT_KEYS, parse_act
from device_profiles.loader import load_profile
from tests.warm_commands import WarmCommand

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
PAGES = sorted(path for path in [ROOT / "README.md", ROOT / "CHANGELOG.md", *DOCS.rglob("*.md")] if "/_" not in path.as_posix())
CODES: dict[str, Code] = {**REFUSALS, **IRREGULARITIES, **ALARMS}
BLOCK = re.compile(r"^( *)```(\w+)\n(.*?)^\1```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)#\s]+)(#[^)\s]*)?\)")
EXIT = re.compile(r"\s+# exit (\d+)$")
IS_PLAIN = re.compile(r"shoed [^|&;<>()$`\\*?\[{}~#\n]*")
"""A command of the program, and nothing that only a shell understands."""
COMMAND_TIMEOUT_S = 60
MODULE_LINES = 150
"""A game, the largest thing that a page shows, is one file of at most so many lines."""


def title(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


@dataclass
class Command:
    text: str
    expected: list[str]

    @property
    def shell(self) -> str:
        return EXIT.sub("", self.text).removesuffix("&").strip()

    @property
    def exit_code(self) -> int:
        found = EXIT.search(self.text)
        return int(found[1]) if found else 0

    @property
    def in_background(self) -> bool:
        return self.text.endswith("&")


def blocks(page: Path, *kinds: str) -> Iterator[tuple[str, str]]:
    for _, kind, text in BLOCK.findall(page.read_text(encoding="utf-8")):
        if kind in kinds:
            yield kind, textwrap.dedent(text)


def commands(block: str) -> Iterator[Command]:
    command: Command | None = None
    for line in block.splitlines():
        if line.startswith("$ "):
            if command is not None:
                yield command
            command = Command(line[2:], [])
        elif command is not None and line.startswith("> ") and not command.expected:
            command.text += "\n" + line[2:]
        elif command is not None and line.strip() not in {"", "..."}:
            command.expected.append(line)
    if command is not None:
        yield command


def pattern(line: str) -> re.Pattern[str]:
    return re.compile(".*".join(map(re.escape, line.strip().split("..."))))


def missing_line(expected: list[str], output: Iterator[str]) -> str | None:
    """Return the first expected line that does not follow the ones before it, or None."""
    for line in expected:
        if not any(pattern(line).search(told) for told in output):
            return line
    return None


def noted(lines: Iterator[str], told: list[str]) -> Iterator[str]:
    for line in lines:
        told.append(line)
        yield line


class PageRun:
    """The directory and the background commands of one page."""

    def __init__(self, folder: Path, told: Path) -> None:
        """`told`: a directory for what commands tell, outside of what the page sees."""
        self.folder, self.told = folder, told
        self.running: list[tuple[str, subprocess.Popen[str] | WarmCommand, TextIO]] = []
        self.drains: list[threading.Thread] = []
        self.environment = {
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
            "PYTHONPATH": str(ROOT),  # this tree, also where another one is installed
            "HOME": str(folder),
            "LC_ALL": "C.UTF-8",
            "COLUMNS": "100",
        }

    def run(self, command: Command) -> None:
        if command.in_background:
            self.start(command)
            return
        if command.shell.startswith("make "):
            # A page may name a target; running all of them here would run this test again.
            subprocess.run(["make", "--dry-run", *command.shell.split()[1:]], cwd=ROOT, check=True, capture_output=True)
            return
        exit_code, told = self.run_warm(command) if IS_PLAIN.fullmatch(command.shell) else self.run_in_shell(command)
        assert exit_code == command.exit_code, f"$ {command.text}\n{told}"
        missing = missing_line(command.expected, iter(told.splitlines()))
        assert missing is None, f"$ {command.text}\nnot in the output: {missing}\n{told}"

    def run_in_shell(self, command: Command) -> tuple[int, str]:
        done = subprocess.run(
            ["bash", "-c", command.shell],
            cwd=self.folder,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=COMMAND_TIMEOUT_S,
            check=False,
        )
        return done.returncode, done.stdout

    def run_warm(self, command: Command) -> tuple[int, str]:
        process = WarmCommand(shlex.split(command.shell)[1:], self.folder, self.environment, self.told / "file")
        try:
            return process.wait(COMMAND_TIMEOUT_S), (self.told / "file").read_text(encoding="utf-8")
        finally:
            process.kill()
            process.wait()

    def start(self, command: Command) -> None:
        # A daemon is found by its command line, so it has one of its own.
        is_warm = IS_PLAIN.fullmatch(command.shell) and command.shell.startswith("shoed simulate ")
        output = self.start_warm(command) if is_warm else self.start_in_shell(command)
        told: list[str] = []
        missing = missing_line(command.expected, noted(iter(output.readline, ""), told))
        assert missing is None, f"$ {command.text}\nended before it told: {missing}\n{''.join(told)}"
        drain = threading.Thread(target=output.read, daemon=True)
        drain.start()
        self.drains.append(drain)

    def start_warm(self, command: Command) -> TextIO:
        pipe = self.told / f"pipe{len(self.running)}"
        os.mkfifo(pipe)
        process = WarmCommand(shlex.split(command.shell)[1:], self.folder, self.environment, pipe)
        output = pipe.open(encoding="utf-8")
        self.running.append((command.shell, process, output))
        return output

    def start_in_shell(self, command: Command) -> TextIO:
        process = subprocess.Popen(
            ["bash", "-c", f"exec {command.shell}"],
            cwd=self.folder,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        assert isinstance(process.stdout, io.TextIOWrapper)
        self.running.append((command.shell, process, process.stdout))
        return process.stdout

    def stop(self) -> None:
        for shell, process, _ in reversed(self.running):
            process.terminate()
            # A page may kill one of them itself, to show what happens then.
            assert process.wait(timeout=10) in {0, -signal.SIGTERM, -signal.SIGKILL}, shell

    def kill(self) -> None:
        for _, process, _ in self.running:
            process.kill()
            process.wait()
        for drain in self.drains:
            drain.join()
        for _, _, output in self.running:
            output.close()


@pytest.mark.timeout(300)  # a page of thirty commands, each its own process, on a busy machine
@pytest.mark.parametrize("page", [p for p in PAGES if any(blocks(p, "console", "toml", "python", "json"))], ids=title)
def test_what_a_page_shows_works(page: Path, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    run = PageRun(tmp_path, tmp_path_factory.mktemp("told"))
    try:
        for kind, text in blocks(page, "console", "toml", "python", "json"):
            if kind == "console":
                for command in commands(text):
                    run.run(command)
            elif kind == "toml":
                write_and_load(text, tmp_path)
            elif kind == "json":
                assert [json.loads(line) for line in text.splitlines()]
            elif not write_module(text, tmp_path):
                exec(compile(text, title(page), "exec"), {"__name__": "page"})
        run.stop()
    finally:
        run.kill()


def write_module(text: str, folder: Path) -> bool:
    named = re.match(r"# ([\w-]+\.py)\n", text)
    if named is not None:
        assert len(text.splitlines()) <= MODULE_LINES, f"{named[1]} is no example any more"
        (folder / named[1]).write_text(text, encoding="utf-8")
    return named is not None


def write_and_load(text: str, folder: Path) -> None:
    values = tomllib.loads(text)
    named = re.match(r"# ([\w.-]+\.toml)\n", text)
    if named is None:
        return
    file = folder / named[1]
    file.write_text(text, encoding="utf-8")
    if "config" in values:
        load_config(file)
    elif "scenario" in values:
        load_scenario(file)


@pytest.mark.parametrize("page", PAGES, ids=title)
def test_links_lead_somewhere(page: Path) -> None:
    dead = [
        target
        for target, _ in LINK.findall(page.read_text(encoding="utf-8"))
        if "://" not in target and not (page.parent / target).exists()
    ]
    assert dead == []


@pytest.mark.parametrize("code", CODES)
def test_every_code_has_an_operator_page(code: str) -> None:
    page = (DOCS / "operator" / f"{code}.md").read_text(encoding="utf-8")
    assert page.splitlines()[0] == f"# {CODES[code].do}", "the first line is what to do now"
    assert f"**What happened:** {CODES[code].happened}" in page
    assert f"`{code}`" in page.splitlines()[-1]


def test_no_operator_page_is_left_over() -> None:
    pages = {path.stem for path in (DOCS / "operator").glob("*.md")}
    assert pages - {"index"} == set(CODES)
    index = (DOCS / "operator" / "index.md").read_text(encoding="utf-8")
    assert re.findall(r"<([\w-]+)>", index) == [
        *(code for code in ALARMS if code not in IRREGULARITIES),
        *IRREGULARITIES,
        *REFUSALS,
    ]


def error_codes() -> set[str]:
    """The codes that classes of errors are made with: in the daemon, its command line, and what plays with simulated devices."""
    found: set[str] = set()
    rooms = ("controller", "firmware_bridge/transport", "hil/demo", "hil/endtoend", "hil/people")
    for path in (path for room in rooms for path in (ROOT / room).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and makes_an_error(node.func):
                given = [*node.args[:1], *(keyword.value for keyword in node.keywords if keyword.arg == "code")]
            elif isinstance(node, ast.Assign) and names(node.targets[0], "code") and node.col_offset == 4:
                given = [node.value]
            else:
                continue
            found |= {str(a.value) for a in given if isinstance(a, ast.Constant) and is_code(a.value)}
    return found


def names(node: ast.expr, ending: str) -> bool:
    """Whether a name, or the last part of a dotted one, ends so."""
    return (isinstance(node, ast.Name) and node.id.endswith(ending)) or (isinstance(node, ast.Attribute) and node.attr.endswith(ending))


def makes_an_error(called: ast.expr) -> bool:
    """Whether this is the class of an error, or the `__init__` of one above."""
    if isinstance(called, ast.Attribute) and called.attr == "__init__":
        called = called.value
        return names(called, "Error") or (isinstance(called, ast.Call) and names(called.func, "super"))
    return names(called, "Error")


def is_code(value: object) -> bool:
    return isinstance(value, str) and re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)+", value) is not None


def test_every_error_code_is_on_the_page_of_errors() -> None:
    text = (DOCS / "reference" / "errors.md").read_text(encoding="utf-8")
    shown = [code for row in re.findall(r"^\| (`.+?) \|", text, re.MULTILINE) for code in re.findall(r"`([\w-]+)`", row)]
    assert len(shown) == len(set(shown))
    assert error_codes() - set(shown) == set(), "tell the user what to do about these"
    # Not made where the search looks: by the command line itself, from HTTP statuses, by the API's door.
    elsewhere = {"usage", "defect", "not-possible-here", "no-such-page", "too-many-connections"}
    assert set(shown) - error_codes() - elsewhere == set()


def shown_acts() -> list[tuple[str, str]]:
    text = (DOCS / "reference" / "scenarios.md").read_text(encoding="utf-8").split("## What a step can expect")[0]
    return re.findall(r"^\| ([a-z_]+) \| `(.+?)` \|", text, re.MULTILINE)


@pytest.mark.parametrize(("act", "value"), shown_acts())
def test_an_act_is_shown_as_it_is_written(act: str, value: str) -> None:
    parse_act(act, tomllib.loads(f"value = {value}")["value"], By("dealer"))


def test_every_act_and_every_expectation_is_shown() -> None:
    assert {act for act, _ in shown_acts()} == ACT_KEYS
    text = (DOCS / "reference" / "scenarios.md").read_text(encoding="utf-8").split("## What a step can expect")[1]
    shown = {key for keys in re.findall(r"^\| ([a-z_, ]+) \|", text, re.MULTILINE) for key in keys.split(", ")}
    assert shown - {"key"} == EXPECT_KEYS
    states = re.findall(r'`"([a-z]+)"`', next(line for line in text.splitlines() if line.startswith("| state |")))
    assert states == [kind.value for kind in StateKind]


def shown_frames() -> dict[str, dict[str, str]]:
    text = (DOCS / "reference" / "sdp1.md").read_text(encoding="utf-8")
    frames: dict[str, dict[str, str]] = {}
    for name, form, octets in re.findall(r"^([BF]\d\d(?:-\w+)?) +(link|wire) +([0-9A-F ]+)$", text, re.MULTILINE):
        frames.setdefault(name, {})[form] = octets
    return frames


@pytest.mark.requirement("SDP/1 1.11")
def test_the_frames_shown_are_the_vectors_of_the_profile() -> None:
    vectors = {vector.id: {"link": vector.frame, "wire": vector.wire} for vector in load_profile("sdp1").vectors}
    assert shown_frames() == vectors


@pytest.mark.requirement("SDP/1 1.2", "SDP/1 1.3")
@pytest.mark.parametrize("name", shown_frames())
def test_the_frames_shown_are_framed_as_the_page_says(name: str) -> None:
    link = bytes.fromhex(shown_frames()[name]["link"])
    wire = bytes.fromhex(shown_frames()[name]["wire"])
    assert wire == b"\0" + cobs.encode(link) + b"\0"
    assert int.from_bytes(link[-2:]) == binascii.crc_hqx(link[:-2], 0xFFFF) ^ 0xFFFF


def test_the_byte_table_is_the_frame_above_it() -> None:
    text = (DOCS / "reference" / "sdp1.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (\d+) \| `([0-9A-F ]+)` \|", text, re.MULTILINE)
    octets = [bytes.fromhex(octets) for _, octets in rows]
    assert b"".join(octets) == bytes.fromhex(shown_frames()["F06"]["link"])
    assert [int(offset) for offset, _ in rows] == list(itertools.accumulate(map(len, octets[:-1]), initial=0))


def test_the_documents_build_without_a_warning(tmp_path: Path) -> None:
    traced = DOCS / "_generated" / "traceability.md"
    traced.parent.mkdir(exist_ok=True)
    traced.touch()
    build = [str(Path(sys.executable).parent / "sphinx-build"), "-W", "--keep-going", "-q", "-b", "dummy"]
    folders = ["-d", str(tmp_path / "doctrees"), str(DOCS), str(tmp_path / "nothing")]
    done = subprocess.run([*build, *folders], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
