"""House settings on the command line: `--house variant=omaha --house seats=6`."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from typing import ParamSpec, TypeVar

import click

from controller.dealing.house import NotPlainError, plain_settings
from controller.dealing.settings import Plain

P = ParamSpec("P")
R = TypeVar("R")


def house_option(command: Callable[P, R]) -> Callable[P, R]:
    """Give a command the option `--house`, passed on as a table of settings."""
    return click.option(
        "--house", multiple=True, metavar="NAME=VALUE", callback=_parse,
        help="A house setting instead of its default; may be given several times.",
    )(command)  # fmt: skip


def _parse(_context: click.Context, _parameter: click.Parameter, words: tuple[str, ...]) -> dict[str, Plain]:
    """The settings by name. A value is written as in a configuration; a bare word needs no quotes."""
    house: dict[str, Plain] = {}
    for word in words:
        name, equals, text = word.partition("=")
        if not name or not equals:
            raise click.BadParameter(f"write it as NAME=VALUE, not '{word[:60]}'.")
        house[name] = _value(text)
    return house


def _value(text: str) -> Plain:
    try:
        return plain_settings(tomllib.loads(f"value = {text}"))["value"]
    except (tomllib.TOMLDecodeError, NotPlainError):
        return text
