"""Makes wrong documents out of right ones: wrong bytes anywhere, and wrong types and sizes at every place of a tree.

Everything is drawn from a seeded generator that is passed in. A `Tree` is what TOML and JSON hold: tables, lists, plain values.
"""

from __future__ import annotations

import copy
import datetime
import json
import random
from collections.abc import Iterator, Mapping, Sequence

Tree = object
Place = tuple[str | int, ...]

LONG = 20_000
"""Characters of a very long text; a hundred times what any field takes."""

NASTY_BYTES = (
    b"\0",
    b"\xff\xfe",
    b"\xed\xa0\x80",
    b"\xc0\xaf",
    b"\xf4\x90\x80\x80",
    b"\xe2\x80\xae",
    b"\x1b[2J",
    b'"',
    b"'''",
    b'"""',
    b"\\",
    b"\\u0000",
    b"\\ud800",
    b"{",
    b"}",
    b"[[",
    b"]]",
    b"=",
    b",",
    b"\r",
    b"#",
    b"-",
    b"1e999",
    b"nan",
    b"0x" + b"f" * 40,
    b"9" * 30,
    b"9" * 5000,
    b"1979-05-27T07:32:00Z",
    b"[" * 3000,
    b"{a=" * 3000,
    b'{"a":' * 3000,
    b"a." * 3000,
    b"x" * LONG,
    b"\xf0\x9f\x82\xa1" * 1000,
)

WRONG_VALUES: tuple[Tree, ...] = (
    None,
    True,
    False,
    0,
    1,
    -1,
    2**31,
    2**63 - 1,
    -(2**63),
    2**64,
    10**400,
    1.0,
    5.0,
    1.5,
    -0.0,
    1e300,
    5e-324,
    "",
    " ",
    "0",
    "1" * 400,
    "\0",
    "\x1b[2J\u202e\u0301",
    "x" * LONG,
    "\U0001f0a1" * 200,
    "../../etc/passwd",
    "{}{0.__class__}%s%n$(id)`id`",
    "9h",
    "^9h Kd",
    "? ? ?",
    "dealer",
    [],
    [[]],
    [None],
    [1, "a", True],
    ["Ah"] * 5,
    ["x"] * 3000,
    [1] * 3000,
    {},
    {"": 1},
    {"seat": 1},
    {"a": {"b": {"c": {"d": {"e": {"f": {}}}}}}},
    {f"key{i}": i for i in range(300)},
    {"\0\n": "\0"},
    {"x" * LONG: 1},
)
TOML_VALUES: tuple[Tree, ...] = (
    float("inf"),
    float("nan"),
    1 << 20_000,
    datetime.datetime(1979, 5, 27, 7, 32, tzinfo=datetime.UTC),
    datetime.datetime(1979, 5, 27),  # noqa: DTZ001  # a local time is what the file then holds
    datetime.date(1979, 5, 27),
    datetime.time(7, 32),
)
"""What TOML can say and JSON cannot."""


def mutate_bytes(rng: random.Random, content: bytes) -> bytes:
    """Return the document with one to four wrong places."""
    made = bytearray(content)
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        at = rng.randrange(len(made) + 1)
        match rng.randrange(8):
            case 0 if made:
                made[at % len(made)] ^= 1 << rng.randrange(8)
            case 1:
                del made[at : at + rng.choice((1, 2, 7, 50, 1 << 20))]
            case 2:
                made[at:at] = rng.choice(NASTY_BYTES)
            case 3:
                made[at:at] = rng.randbytes(rng.randint(1, 20))
            case 4:
                made = _with_lines_changed(rng, made)
            case 5:
                other = rng.randrange(len(made) + 1)
                made[at:at] = made[other : other + rng.randint(1, 80)]
            case 6:
                made = _with_digits_changed(rng, made)
            case _:
                made[at : at + 1] = bytes([rng.randrange(256)])
    return bytes(made)


def _with_lines_changed(rng: random.Random, content: bytearray) -> bytearray:
    lines = content.split(b"\n")
    at = rng.randrange(len(lines))
    match rng.randrange(4):
        case 0:
            lines.insert(rng.randrange(len(lines) + 1), lines[at])
        case 1:
            lines[at : at + 1] = [lines[at]] * rng.choice((2, 3, 500))
        case 2:
            del lines[at]
        case _:
            other = rng.randrange(len(lines))
            lines[at], lines[other] = lines[other], lines[at]
    return bytearray(b"\n".join(lines))


def _with_digits_changed(rng: random.Random, content: bytearray) -> bytearray:
    """Put another number where one stands."""
    digits = [at for at, byte in enumerate(content) if 48 <= byte <= 57]
    if digits:
        at = rng.choice(digits)
        content[at : at + 1] = rng.choice((b"0", b"-1", b"99999", b"1e9", b"0.001", b"1" + b"0" * 25, b"true", b'"1"'))
    return content


def places_of(tree: Tree, place: Place = ()) -> Iterator[Place]:
    """Return the place of every value, the whole tree's first."""
    yield place
    if isinstance(tree, Mapping):
        for key, inner in tree.items():
            yield from places_of(inner, (*place, key))
    elif isinstance(tree, Sequence) and not isinstance(tree, str):
        for index, inner in enumerate(tree):
            yield from places_of(inner, (*place, index))


def replaced(tree: Tree, place: Place, value: Tree) -> Tree:
    """Return a copy with another value at a place."""
    if not place:
        return value
    made = copy.deepcopy(tree)
    _holder(made, place)[place[-1]] = value  # type: ignore[index]
    return made


def mutate_tree(rng: random.Random, tree: Tree, place: Place, values: Sequence[Tree]) -> Tree:
    """Return a copy with something wrong at a place: another type, missing, twice, with one key more, or swapped with another."""
    kind = rng.randrange(8)
    if kind == 0 and place:
        made = copy.deepcopy(tree)
        del _holder(made, place)[place[-1]]  # type: ignore[attr-defined]
        return made
    there = _at(tree, place)
    if kind == 1 and isinstance(there, list) and there:
        return replaced(tree, place, there + [copy.deepcopy(rng.choice(there)) for _ in range(rng.choice((1, 2, 200)))])
    if kind == 2 and isinstance(there, dict):
        key = rng.choice(("expect", "by", "seat", "device", "x", "", "\0", "x" * LONG, *map(str, there)))
        return replaced(tree, place, {**there, key: rng.choice(values)})
    if kind == 3:
        other = rng.choice(list(places_of(tree)))
        return replaced(tree, place, copy.deepcopy(_at(tree, other)))
    return replaced(tree, place, rng.choice(values))


def _at(tree: Tree, place: Place) -> Tree:
    for key in place:
        tree = tree[key]  # type: ignore[index]
    return tree


def _holder(tree: Tree, place: Place) -> object:
    return _at(tree, place[:-1])


def to_toml(tree: Tree) -> bytes:
    """Return a tree as a TOML file with one line for each key; what TOML has no word for becomes the word `null`."""
    if not isinstance(tree, Mapping):
        return _toml(tree).encode("utf-8", "surrogatepass")
    return "".join(f"{_toml(str(key))} = {_toml(value)}\n" for key, value in tree.items()).encode("utf-8", "surrogatepass")


def _toml(value: Tree) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case int():
            return str(value) if abs(value) < 10**1000 else hex(value)
        case float():
            return repr(value)
        case str():
            return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
        case Mapping():
            return "{ " + ", ".join(f"{_toml(str(key))} = {_toml(inner)}" for key, inner in value.items()) + " }"
        case list() | tuple():
            return "[" + ", ".join(map(_toml, value)) + "]"
        case _:
            return value.isoformat()  # type: ignore[attr-defined]
