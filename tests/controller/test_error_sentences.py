"""Errors are told as sentences, whatever room they come from; a name that comes first and a command that comes last stay as they are."""

from __future__ import annotations

import pytest

from controller.errors import as_sentence


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("there is no port x", "There is no port x."),
        ("There is no game 'x'.", "There is no game 'x'."),
        ("/dev/null is not a serial port", "/dev/null is not a serial port."),
        ("tcp://127.0.0.1:1: Connection refused", "tcp://127.0.0.1:1: Connection refused."),
        ("pit3.toml: there is no such file", "pit3.toml: there is no such file."),
        ("shoed itself failed", "shoed itself failed."),
        ("List them: shoed profile list", "List them: shoed profile list"),
        ("is it plugged in?", "Is it plugged in?"),
    ],
)
def test_words_become_a_sentence(words: str, told: str) -> None:
    assert as_sentence(words) == told
