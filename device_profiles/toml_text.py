"""Reads TOML that anybody may have written: what it costs is bounded by its length, and it fails in one way.

The standard parser takes time that grows with the square of a dotted key's length (a file of 100 kB for minutes), lets
`ValueError` and `RecursionError` through, and accepts whole numbers of any size, which later cannot even be shown. So
dotted keys are counted before parsing, and numbers and depth are checked after it. How long a file may be is the
caller's to say, since each kind of file has its own size.
"""

from __future__ import annotations

import re
import tomllib
from typing import Final

NESTING_MAX: Final = 32
"""No file of this product nests half as deep; the parser's own stack ends at a few hundred."""

KEY_PARTS_MAX: Final = 32
"""Parts of one dotted key: each is one level."""

WHOLE_MAX: Final = 2**63
"""Whole numbers have 64 bits with sign, as TOML 1.0 demands of every reader at least."""

BYTE_ORDER_MARK: Final = "\ufeff"
"""Some editors put it before the first line, where nobody sees it."""

_QUOTED: Final = re.compile(
    r'"""(?:[^"\\]|\\.|"(?!""))*+(?:""")?' + r"|'''(?:[^']|'(?!''))*+(?:''')?" + r'|"(?:[^"\\\n]|\\.)*+"?' + r"|'[^'\n]*+'?" + r"|#[^\n]*+",
    re.DOTALL,
)
"""Texts and comments, unfinished ones to their end, so that each character is looked at once."""

_LONG_KEY: Final = re.compile(rf"\.(?:[ \t]*+[\w-]++[ \t]*+\.){{{KEY_PARTS_MAX - 1}}}")


class TomlTextError(ValueError):
    """The text is no TOML that is read here; the error's text is a clause that says why, without a full stop."""


def parse_toml(content: bytes | str, nesting_max: int = NESTING_MAX) -> dict[str, object]:
    """Return the tables of a file.

    Raises:
        TomlTextError: it is no UTF-8, no TOML, nested too deeply, or has a number too large.
    """
    try:
        text = content.decode("utf-8") if isinstance(content, bytes) else content
    except UnicodeDecodeError as error:
        raise TomlTextError("it is not valid TOML: it is no UTF-8 text; save it as UTF-8") from error
    if text.startswith(BYTE_ORDER_MARK):
        raise TomlTextError("it is not valid TOML: it begins with a byte order mark; save it as UTF-8 without one")
    if _LONG_KEY.search(_QUOTED.sub(_as_key_part, text)):
        raise TomlTextError(f"a dotted key has more than {KEY_PARTS_MAX} parts")
    try:
        tables = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise TomlTextError(f"it is not valid TOML: {error}") from error
    except RecursionError as error:
        raise TomlTextError("it is nested too deeply") from error
    except ValueError as error:
        # The interpreter turns no text of more than 4,300 digits into a number.
        raise TomlTextError("it has a number with too many digits") from error
    _verify_values(tables, nesting_max)
    return tables


def _as_key_part(found: re.Match[str]) -> str:
    return "" if found[0].startswith("#") else "q"


def _verify_values(tables: dict[str, object], nesting_max: int) -> None:
    left: list[tuple[object, int]] = [(tables, 0)]
    while left:
        value, depth = left.pop()
        match value:
            case dict() | list():
                if depth > nesting_max:
                    raise TomlTextError(f"it nests more than {nesting_max} deep")
                left.extend((inner, depth + 1) for inner in (value.values() if isinstance(value, dict) else value))
            case int() if not -WHOLE_MAX <= value < WHOLE_MAX:
                raise TomlTextError("it has a whole number of more than 64 bits")
            case _:
                pass
