"""Reads a scenario file: TOML in, a checked `Scenario` out, or an error naming file, step and the nearest valid key.

The whole file is checked before anything runs, so that a script never stops half way for a slip of its author. Whether
game, method and house settings exist is asked of `controller.games` and `controller.dealing` when the procedure is
built.
"""

from __future__ import annotations

import difflib
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from controller.dealing.house import NotPlainError, plain_settings
from controller.dealing.settings import Plain, shown
from controller.errors import ShoedError
from controller.scenario.expect import Expectation, parse_expectation
from controller.table.acts import AnyAct, By
from controller.table.parse import ACT_KEYS, is_device_act, parse_act, parse_by
from controller.table.parse_values import ActError
from device_profiles.toml_text import TomlTextError, parse_toml

FORMAT: Final = 1
MAX_FILE_BYTES: Final = 1 << 20
"""A whole eight-deck shoe as a script is a tenth of this."""
MAX_STEPS: Final = 20_000
MAX_SECONDS: Final = 10_000_000.0
"""Four months of virtual time: a slip of the pen, not a session."""
MAX_NOTE: Final = 2_000
"""Characters of a title or a note."""

HEAD_KEYS: Final = ("scenario", "title", "game", "method", "house", "prepared", "steps")
STEP_EXTRAS: Final = ("expect", "at", "by", "note")
SHUFFLER_KEYS: Final = frozenset({"shuffle", "shuffle_aborted"})
SHUFFLER_EVENTS: Final = frozenset({"mode-sort", "mode-random"})


class ScenarioError(ShoedError):
    """A scenario file cannot be read; nothing was run.

    Attributes:
        file: the file as it was named.
        step: the step's number from 1, or None where no step is to blame.
        nearest: the valid word nearest to a wrong one, where there is one.
    """

    def __init__(self, file: str, step: int | None, what: str, do: str, nearest: str | None = None) -> None:
        place = file if step is None else f"{file}, step {step}"
        super().__init__("bad-scenario", f"{place}: {what}", do)
        self.file = file
        self.step = step
        self.nearest = nearest


@dataclass(frozen=True, slots=True)
class Step:
    """One line of a script. `value` is the act's plain value as written, for sending it over the API."""

    number: int
    key: str
    value: object
    act: AnyAct
    by: By
    at_ms: int | None
    expect: Expectation
    note: str

    @property
    def is_device_act(self) -> bool:
        """Whether this is something that happens at a device, whoever tells of it."""
        return is_device_act(self.key)

    @property
    def by_device(self) -> bool:
        """Whether the device itself does it; else a person tells of it."""
        return self.is_device_act and self.by.role == "device"


@dataclass(frozen=True, slots=True)
class Scenario:
    """A checked script."""

    file: str
    title: str
    game: str
    method: str
    house: dict[str, Plain]
    prepared: bool
    steps: tuple[Step, ...]


def load_scenario(path: Path) -> Scenario:
    """Read and check one file.

    Raises:
        ScenarioError: when it cannot be read or anything in it is wrong.
    """
    name = str(path)
    try:
        with path.open("rb") as stream:
            text = stream.read(MAX_FILE_BYTES + 1)
    except OSError as error:
        raise ScenarioError(name, None, f"{error.strerror or error}.", "Check the path and its permissions.") from error
    if len(text) > MAX_FILE_BYTES:
        raise ScenarioError(name, None, "the file is larger than 1 MiB.", "Split it into several scenarios.")
    try:
        return parse_scenario(text.decode("utf-8"), name)
    except UnicodeDecodeError as error:
        raise ScenarioError(name, None, "the file is not UTF-8 text.", "Save it as UTF-8.") from error


def parse_scenario(text: str, file: str) -> Scenario:
    """Check the text of one file; `file` is how errors name it.

    Raises:
        ScenarioError: when anything in it is wrong.
    """
    try:
        head = parse_toml(text)
    except TomlTextError as error:
        raise ScenarioError(file, None, f"this cannot be read: {error}.", "Correct that place.") from error
    _check_head(head, file)
    return Scenario(
        file=file,
        title=_text(head["title"], "title", file),
        game=_text(head["game"], "game", file),
        method=_text(head["method"], "method", file),
        house=_house(head.get("house", {}), file),
        prepared=_flag(head.get("prepared", True), file),
        steps=_parse_steps(head["steps"], file),
    )


def _house(value: object, file: str) -> dict[str, Plain]:
    if not isinstance(value, dict):
        raise ScenarioError(file, None, "`house` is no table.", "Write house = { stub_count_every = 5 }.")
    try:
        return plain_settings(value)
    except NotPlainError as error:
        raise ScenarioError(
            file, None, f"`house.{shown(error)}` is of a kind that no setting has.", "Write text or a whole number."
        ) from error


def _check_head(head: Mapping[str, object], file: str) -> None:
    for key in head:
        if key not in HEAD_KEYS:
            raise _unknown(file, None, key, HEAD_KEYS)
    version = head.get("scenario")
    if isinstance(version, bool) or version != FORMAT:
        raise ScenarioError(file, None, "this is not scenario format 1.", "Begin the file with `scenario = 1`.")
    for key in ("title", "game", "method", "steps"):
        if key not in head:
            raise ScenarioError(file, None, f"`{key}` is missing.", f"Add `{key}`.", key)


def _parse_steps(value: object, file: str) -> tuple[Step, ...]:
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
        raise ScenarioError(file, None, "`steps` is no list of steps.", "Write steps = [ { close_bets = true }, ... ].")
    if not 1 <= len(value) <= MAX_STEPS:
        raise ScenarioError(file, None, f"a scenario has 1 to {MAX_STEPS} steps.", "Add or split steps.")
    steps: list[Step] = []
    latest_ms = 0
    for number, item in enumerate(value, start=1):
        step = _parse_step(item, number, file)
        if step.at_ms is not None:
            if step.at_ms < latest_ms:
                raise ScenarioError(file, number, "`at` goes back in time.", "Give a later time, or leave it out.")
            latest_ms = step.at_ms
        steps.append(step)
    return tuple(steps)


def _parse_step(item: Mapping[str, object], number: int, file: str) -> Step:
    keys = [key for key in item if key not in STEP_EXTRAS]
    for key in keys:
        if key not in ACT_KEYS:
            raise _unknown(file, number, key, (*ACT_KEYS, *STEP_EXTRAS))
    if len(keys) != 1:
        found = " and ".join(f"`{key}`" for key in keys) or "none"
        raise ScenarioError(file, number, f"a step has exactly one act, here: {found}.", "Write one act a step.")
    key = keys[0]
    try:
        by = parse_by(item["by"]) if "by" in item else _usual_sender(key, item[key])
        return Step(
            number=number,
            key=key,
            value=item[key],
            act=parse_act(key, item[key], by),
            by=by,
            at_ms=_milliseconds(item["at"]) if "at" in item else None,
            expect=parse_expectation(item.get("expect", {})),
            note=_text(item.get("note", ""), "note", file, number),
        )
    except ActError as error:
        raise ScenarioError(file, number, error.what, error.do, error.nearest) from error


def _usual_sender(key: str, value: object) -> By:
    if not is_device_act(key):
        return By("dealer")
    event = value.get("event") if isinstance(value, Mapping) else value
    is_shuffler = key in SHUFFLER_KEYS or (key == "device" and isinstance(event, str) and event in SHUFFLER_EVENTS)
    return By("device", "shuffler" if is_shuffler else "shoe")


def _milliseconds(value: object) -> int:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not isinstance(value, int | float) or not math.isfinite(value) or not 0 <= value <= MAX_SECONDS:
        raise ActError("at", "this is no time.", "Write seconds since the start, such as 2.5.")
    return round(value * 1000)


def _text(value: object, key: str, file: str, step: int | None = None) -> str:
    if not isinstance(value, str) or len(value) > MAX_NOTE:
        raise ScenarioError(file, step, f"`{key}` is no text of at most {MAX_NOTE} characters.", "Put it in quotes.")
    return value


def _flag(value: object, file: str) -> bool:
    if not isinstance(value, bool):
        raise ScenarioError(file, None, "`prepared` is neither true nor false.", "Write true or false.")
    return value


def _unknown(file: str, step: int | None, key: str, valid: Iterable[str]) -> ScenarioError:
    words = sorted(valid)
    near = difflib.get_close_matches(key, words, n=1)
    do = f"Did you mean `{near[0]}`?" if near else f"The keys are: {', '.join(words)}."
    return ScenarioError(file, step, f"there is no key `{key[:40]}`.", do, near[0] if near else None)
