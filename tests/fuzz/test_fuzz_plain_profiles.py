"""A profile of a foreign device can do nothing but describe: no code, no file, no network, no more than linear time, bounded memory.

Loading is watched by the interpreter's own audit: whatever opens, connects, starts or compiles tells it. What a profile costs at work is
counted in looks at bytes and in bytes held, not in seconds.
"""

from __future__ import annotations

import contextlib
import random
import sys
import tomllib
import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from device_profiles.errors import ProfileError
from device_profiles.extending import extended
from device_profiles.loader import PROFILE_BYTES_MAX, read_tables
from device_profiles.plain.frames import Way
from device_profiles.plain.loader import plain_profile
from device_profiles.shelf import ProfileShelf
from firmware_bridge.plain.codec import PlainCodec
from firmware_bridge.plain.framers import PlainFrame
from tests.fuzz.judging import MemoryWatch, in_time, telling
from tests.fuzz.mutation import mutate_bytes, mutate_tree, places_of, replaced, to_toml
from tests.fuzz.test_fuzz_files import VALUES, names_its_file

ROOT: Final = Path(__file__).parents[2]
SISTERS: Final = ROOT / "tests" / "device_profiles" / "sisters"
DOCUMENTS: Final = {
    path.stem: path.read_bytes()
    for path in sorted([*(ROOT / "device_profiles").glob("*.toml"), *SISTERS.glob("*.toml")])
    if b'link = "plain"' in path.read_bytes()
}
FORBIDDEN: Final = (
    "open",
    "os.",
    "socket.",
    "subprocess.",
    "exec",
    "compile",
    "import",
    "ctypes.",
    "shutil.",
    "urllib.",
    "sqlite3.",
    "pty.",
)
MEMORY_MAX: Final = 64 << 20
"""A file of the largest size that is read, as tables, as values, compiled, and with its patterns' own megabyte each."""
_told: list[str] = []
_watching = False


def _hear(event: str, _arguments: object) -> None:
    if _watching and event.startswith(FORBIDDEN):
        _told.append(event)


@contextlib.contextmanager
def watched() -> Iterator[list[str]]:
    """Collect what is opened, connected, started or compiled within; an audit hook cannot be taken away, so it is told when to listen."""
    global _watching  # noqa: PLW0603  # the hook outlives every test
    if not getattr(sys, "_shoed_audited", False):
        sys.addaudithook(_hear)
        sys._shoed_audited = True  # type: ignore[attr-defined]  # once in an interpreter
    _told.clear()
    _watching = True
    try:
        yield _told
    finally:
        _watching = False


def compile_profile(content: bytes) -> PlainCodec | None:
    """As `shoed profile check` does it; None when it was refused in words."""
    try:
        return PlainCodec(plain_profile(read_tables(content, "shoe.toml"), "shoe.toml"))
    except ProfileError as error:
        names_its_file(str(error))
        return None


def listen(codec: PlainCodec, rng: random.Random, rounds: int = 6) -> None:
    """Let a profile that was not refused hear rubbish and its own beginnings: nothing raises, and what it holds is bounded."""
    most = max(grammar.max for grammar in codec.profile.framing.grammars)
    starts = [bytes.fromhex(start) for g in codec.profile.framing.grammars if (start := getattr(g, "start", None))]
    framer = codec.framer(Way.IN)
    for number in range(rounds):
        chunk = rng.choice([*starts, b""]) + rng.randbytes(rng.randrange(1, 200))
        for item in framer.feed(chunk, number * 0.01):
            if isinstance(item, PlainFrame):
                with contextlib.suppress(ValueError):
                    codec.read(item)
        assert framer.held <= 2 * most + 512


def attack(name: str, seed: int, rounds: int) -> int:
    """Half wrong bytes, half a wrong value at a place; returns how many of them are profiles all the same."""
    rng, document = random.Random(seed), DOCUMENTS[name]
    tree = tomllib.loads(document.decode())
    places, good = list(places_of(tree)), 0
    for number in range(rounds):
        wrong = mutate_bytes(rng, document) if number % 2 else to_toml(mutate_tree(rng, tree, rng.choice(places), VALUES))
        with telling(f"{name}, seed {seed}, input {number}", wrong), in_time(f"{name}, seed {seed}, input {number}"):
            codec = compile_profile(wrong)
            if codec is not None:
                good += 1
                listen(codec, rng)
    return good


@pytest.mark.requirement("T-27", "EQ-49")
@pytest.mark.parametrize("name", sorted(DOCUMENTS))
def test_wrong_profiles_are_refused_in_words_or_hear_rubbish_in_peace(name: str) -> None:
    attack(name, 7, 30)


@pytest.mark.requirement("T-27")
def test_loading_opens_starts_and_compiles_nothing(tmp_path: Path) -> None:
    for document in DOCUMENTS.values():
        compile_profile(document)  # what is imported once is imported before
    rng = random.Random(3)
    with watched() as told:
        for document in DOCUMENTS.values():
            assert compile_profile(document) is not None
            compile_profile(mutate_bytes(rng, document))
    assert told == []
    with watched() as told:
        (tmp_path / "seen").write_bytes(b"")
    assert told, "the watch itself works"


HOSTILE_PATTERNS: Final = ("(a+)+b", "(a|a)*b", "(a|aa)+b", "(.*a){20}", "(a?){64}a{64}", "((a{1,30}){1,30}){1,30}", r"(\w+\s?)*b")


@pytest.mark.requirement("T-27")
@pytest.mark.parametrize("pattern", HOSTILE_PATTERNS)
def test_a_hostile_pattern_is_refused_or_looks_in_linear_time(pattern: str) -> None:
    """Each of them takes a backtracking matcher longer than anybody lives, on a hundredth of this text."""
    text = DOCUMENTS["bee-tek"].decode()
    at = text.index("pattern = ")
    end = text.index("\n", at)
    codec = compile_profile(f"{text[:at]}pattern = '''{pattern}'''{text[end:]}".encode())
    tables = read_tables(DOCUMENTS["bee-tek"], "shoe.toml")
    assert codec is None, "the base's own vectors do not come out"
    tables["vectors"] = [{"id": "v", "wire": "61 62", "message": "m", "one_way": True}]
    tables["messages"] = [{"name": "m", "grammar": "token", "pattern": pattern, "template": "ab"}]
    tables["simulation"] = {}
    with in_time(pattern), contextlib.suppress(ProfileError):
        hostile = PlainCodec(plain_profile(tables, "shoe.toml"))
        framer = hostile.framer(Way.IN)
        for number in range(50):
            framer.feed(b"a" * 4000, float(number))
        assert framer.held <= 8192


def large(most: int) -> bytes:
    """As much as fits into a file of this size: messages with as many fields as they may have."""
    lines = [DOCUMENTS["slip-sum16"].decode()]
    size, number = len(lines[0]), 0
    while size < most - 4000:
        lines.append(f'[[messages]]\nname = "m{number}"\ngrammar = "frame"\nwhere = {{ kind = {number % 256}, more = {number} }}')
        lines.append(
            'fields = [{ name = "kind", at = 0 }, { name = "more", at = 1 }'
            + "".join(f', {{ name = "f{n}", at = {n} }}' for n in range(60))
            + "]\n"
        )
        size += len(lines[-1]) + len(lines[-2]) + 2
        number += 1
    head, _, vectors = lines[0].partition("[connect]")
    return "\n".join([head, *lines[1:], "[connect]" + vectors]).encode()


@pytest.mark.requirement("T-27")
@pytest.mark.parametrize("most", [PROFILE_BYTES_MAX // 4, pytest.param(PROFILE_BYTES_MAX, marks=pytest.mark.slow)])
def test_the_largest_profile_takes_bounded_memory(most: int) -> None:
    content = large(most)
    assert most * 0.9 < len(content) <= most
    tracemalloc.start()
    try:
        with in_time("the largest profile"):
            assert compile_profile(content) is not None
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < MEMORY_MAX * most // PROFILE_BYTES_MAX


def test_a_row_of_bases_adds_up_and_does_not_multiply() -> None:
    """Each base is as large as a file may be; what comes out is no larger than all of them together."""
    entries = [{"name": f"m{number}", "doc": "x" * 1000} for number in range(200)]

    def base(name: str, _file: str) -> dict[str, object]:
        below = {} if name == "b3" else {"extends": f"b{int(name[1:]) + 1}"}
        return {"name": name, "about": {}, "messages": [{**entry, "name": f"{name}{entry['name']}"} for entry in entries], **below}

    whole = extended({"name": "top", "about": {}, "extends": "b0"}, "top.toml", base)
    assert len(whole["messages"]) == 4 * len(entries)  # type: ignore[arg-type]


@pytest.mark.requirement("T-27")
def test_wrong_files_in_a_directory_are_refused_by_their_names(tmp_path: Path) -> None:
    rng = random.Random(9)
    for number, name in enumerate(sorted(DOCUMENTS)):
        (tmp_path / f"x{number}.toml").write_bytes(
            mutate_bytes(rng, DOCUMENTS[name].replace(f'"{name}"'.encode(), f'"x{number}"'.encode(), 1))
        )
    shelf = ProfileShelf(tmp_path)
    for name in filter(shelf.is_own, shelf.names()):
        told = refusal_of(shelf, name)
        assert told is None or f"{name}.toml" in told


def refusal_of(shelf: ProfileShelf, name: str) -> str | None:
    try:
        shelf.get(name)
    except ProfileError as error:
        return str(error)
    return None


@pytest.mark.slow
@pytest.mark.timeout(7200)
@pytest.mark.requirement("T-27")
@pytest.mark.parametrize("name", sorted(DOCUMENTS))
def test_very_many_wrong_profiles(name: str) -> None:
    seed = random.SystemRandom().randrange(1 << 32)
    watch = MemoryWatch()
    attack(name, seed, 500)
    watch.note()
    attack(name, seed + 1, 2_000)
    tree = tomllib.loads(DOCUMENTS[name].decode())
    for number, place in enumerate(places_of(tree)):
        for value in VALUES[number % 7 :: 7]:
            wrong = to_toml(replaced(tree, place, value))
            with telling(str(place), wrong), in_time(place):
                compile_profile(wrong)
    watch.check()
