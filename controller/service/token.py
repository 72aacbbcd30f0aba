"""The token that requests to the API bear: a secret in a file that only the daemon's account can read.

Made at the first start, kept afterwards. It is compared in constant time and never logged.
"""

from __future__ import annotations

import hmac
import os
import secrets
from pathlib import Path
from typing import Final

from controller.service.errors import StartError

TOKEN_BYTES: Final = 32
"""256 random bits: nobody on this machine guesses it."""

TOKEN_CHARS_MIN: Final = 32
"""A token put there by hand must be no weaker than 128 bits of hexadecimal."""

OTHERS: Final = 0o077


def check_token_file(path: Path) -> None:
    """Check without changing anything that the token can be read, or made when there is none.

    Raises:
        StartError: with what to mend.
    """
    if path.exists():
        _read(path)
    elif not os.access(path.parent, os.W_OK | os.X_OK):
        raise StartError(
            "token-not-writable",
            f"The API's token cannot be made: the directory {path.parent} is missing or not writable.",
            "Make that directory for this account, or change api.token_file.",
        )


def open_token(path: Path) -> str:
    """Return the token of the file; the file is made, for this account alone, when it is missing.

    Raises:
        StartError: with what to mend.
    """
    check_token_file(path)
    if not path.exists():
        fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        with os.fdopen(fd, "w") as file:
            file.write(secrets.token_hex(TOKEN_BYTES) + "\n")
    return _read(path)


def is_token(given: str, token: str) -> bool:
    """Return whether a request's token is the right one, in a time that tells nothing of it."""
    return hmac.compare_digest(given.encode("utf-8", "surrogateescape"), token.encode())


def _read(path: Path) -> str:
    if path.is_dir():
        raise StartError("path-is-folder", f"The API's token file {path} is a directory.", "Name a file in it as api.token_file.")
    try:
        if path.stat().st_mode & OTHERS:
            raise StartError(
                "token-open-to-others",
                f"The API's token file {path} can be read by other accounts.",
                f"Close it with: chmod 600 {path}",
            )
        token = path.read_text("ascii").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise StartError(
            "token-unreadable", f"The API's token file {path} cannot be read.", "Mend its permissions, or delete it."
        ) from error
    if len(token) < TOKEN_CHARS_MIN:
        raise StartError(
            "token-too-short",
            f"The API's token file {path} holds less than {TOKEN_CHARS_MIN} characters.",
            "Delete it: the next start makes a new one.",
        )
    return token
