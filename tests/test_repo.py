"""The repository keeps its own rules: what is in it, what it may name, and that its parts stand as agreed."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGES = ("firmware_bridge", "controller", "device_profiles", "hil")
LINES_MAX = 400
TEST_LINES_MAX = 450
"""A file of tests may hold the table of its cases as well."""
FUNCTION_LINES_MAX = 60
MAY_SKIP = {
    "tests/lab/conftest.py": "the lab's machine needs QEMU",
    "tests/soak/test_soak_trouble.py": "a really full disk is a small file system, which only root may mount",
}
"""File -> why it holds a test that not every account can run."""


def git(*arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=ROOT, check=True, capture_output=True, text=True).stdout


@cache
def tracked_files() -> tuple[Path, ...]:
    return tuple(path for name in git("ls-files").splitlines() if (path := ROOT / name).is_file())


@cache
def text_of(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace")


def python_files() -> list[Path]:
    return [path for path in tracked_files() if path.suffix == ".py"]


def places(pattern: str, paths: list[Path] | tuple[Path, ...]) -> list[str]:
    """Return file:line of each match, for the failure message."""
    wanted = re.compile(pattern)
    return [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()[:100]}"
        for path in paths
        if path != Path(__file__)
        for number, line in enumerate(text_of(path).splitlines(), 1)
        if wanted.search(line)
    ]


def test_no_file_names_a_package_index() -> None:
    assert places(r"(pypi|pythonhosted|npmjs|debian)\.(org|com|net)|--(extra-)?index-url|--find-links \S", tracked_files()) == []


def test_no_file_names_a_path_of_one_machine() -> None:
    assert places(r"(?<![\w.:}])/(work|root|home)/\w", tracked_files()) == []


def test_nothing_is_left_for_later() -> None:
    readable = [path for path in tracked_files() if path.suffix in {".py", ".toml", ".md"}]
    assert places(r"\b(TODO|FIXME|XXX|HACK)\b|\bfor now\b(?! in\b)", readable) == []


def test_no_test_is_skipped_or_expected_to_fail() -> None:
    bound = [path for path in python_files() if path.relative_to(ROOT).as_posix() not in MAY_SKIP]
    assert places(r"pytest\.(mark\.)?(skip|xfail)\b", bound) == []


def test_no_error_is_swallowed() -> None:
    broad = re.compile(r"\bexcept\s*(:|\(?\s*(Base)?Exception\b)")  # parsing all files takes seconds; few have one at all
    swallowing = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path in python_files()
        if broad.search(text_of(path))
        for node in ast.walk(ast.parse(text_of(path)))
        if isinstance(node, ast.ExceptHandler) and is_broad(node) and all(isinstance(s, ast.Pass) for s in node.body)
    ]
    assert swallowing == []


def is_broad(node: ast.ExceptHandler) -> bool:
    return node.type is None or (isinstance(node.type, ast.Name) and node.type.id in {"Exception", "BaseException"})


def test_files_stay_short() -> None:
    long = {
        str(path.relative_to(ROOT)): lines
        for path in python_files()
        if (lines := len(text_of(path).splitlines())) > (TEST_LINES_MAX if path.is_relative_to(ROOT / "tests") else LINES_MAX)
    }
    assert long == {}, "a room is missing"


def test_functions_stay_short() -> None:
    long = [
        f"{path.relative_to(ROOT)}:{node.lineno} {node.name}: {node.end_lineno - node.lineno + 1} lines"
        for path in python_files()
        if path.is_relative_to(ROOT) and path.relative_to(ROOT).parts[0] in PACKAGES
        for node in ast.walk(ast.parse(text_of(path)))
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
        and node.end_lineno is not None
        and node.end_lineno - node.lineno >= FUNCTION_LINES_MAX
    ]
    assert long == []


def test_every_module_says_what_it_is_for() -> None:
    said = re.compile(r'(#[^\n]*\n|\s)*r?"""\s*\S')
    silent = [
        str(path.relative_to(ROOT))
        for path in python_files()
        if path.relative_to(ROOT).parts[0] in PACKAGES and text_of(path).strip() and not said.match(text_of(path))
    ]
    assert silent == []


def test_locks_are_pinned_and_hashed() -> None:
    for name in ("build", "run", "dev"):
        lock = text_of(ROOT / "requirements" / f"{name}.txt")
        requirements = [line for line in lock.splitlines() if line and not line.startswith((" ", "#"))]
        assert requirements, name
        assert [line for line in requirements if not re.fullmatch(r"[\w.\[\]-]+==\S+ \\", line)] == [], name
        assert lock.count("--hash=sha256:") >= len(requirements), name


def test_every_dependency_is_locked_and_has_its_reason() -> None:
    source = text_of(ROOT / "pyproject.toml")
    project = tomllib.loads(source)["project"]
    for requirement in project["dependencies"]:
        name = re.split(r"[><=\[]", requirement)[0]
        assert re.search(rf"^{re.escape(name)}==", text_of(ROOT / "requirements/run.txt"), re.MULTILINE), name
        assert re.search(rf'"{re.escape(requirement)}",\s+# \w', source), f"{name} is there without a reason"


def test_every_command_is_registered_and_loads() -> None:
    declared = tomllib.loads(text_of(ROOT / "pyproject.toml"))["project"]["entry-points"]["shoed.commands"]
    installed = {entry.name: entry for entry in entry_points(group="shoed.commands")}
    assert {name: entry.value for name, entry in installed.items()} == declared, "run `make setup`"
    for entry in installed.values():
        assert entry.load().name, entry.value


def test_the_import_contract_holds() -> None:
    run = subprocess.run(
        [Path(sys.executable).parent / "lint-imports", "--no-cache"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stdout


def test_every_pure_module_is_in_the_import_contract() -> None:
    """Rooms that decide are listed by hand in the contract; a new module of theirs must not be forgotten."""
    contracts = tomllib.loads(text_of(ROOT / "pyproject.toml"))["tool"]["importlinter"]["contracts"]
    pure = next(set(contract["source_modules"]) for contract in contracts if contract["type"] == "forbidden")
    rooms = [f"controller.{room}" for room in ("table", "dealing", "games", "hands", "integrity", "decks")]
    rooms += [f"firmware_bridge.{room}" for room in ("framing", "link", "seal", "codec", "session")]
    assert [room for room in rooms if room not in pure] == []


@pytest.mark.parametrize("command", [[], ["games"], ["journal"], ["scenario"]])
def test_help_is_quick_to_read(command: list[str]) -> None:
    """Every command of every group explains itself in one line of at least two words."""
    shoed = Path(sys.executable).parent / "shoed"
    text = subprocess.run([shoed, *command, "--help"], capture_output=True, text=True, check=True).stdout
    listed = re.findall(r"^  ([\w-]+)  +(.*)$", text.split("Commands:")[1], re.MULTILINE)
    assert listed, text
    assert [name for name, sentence in listed if len(sentence.split()) < 2] == []
