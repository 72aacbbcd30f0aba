"""Makes the reference pages that would otherwise repeat the code: configuration, command line, codes, SDP/1 messages.

Each function returns the lines of one page; `setup` writes them into `docs/_generated` before Sphinx reads its sources,
and the pages under `docs/reference` include them. Nothing generated is kept in the repository.
"""

from __future__ import annotations

import typing
from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, get_args, get_origin

import click
import msgspec
from profile_language import profile_language_lines

from controller.cli.games import permitted_procedures
from controller.cli.main import root
from controller.dealing.describe import procedure_lines, setting_lines
from controller.dealing.diagram import svg
from controller.dealing.procedure import build_procedure
from controller.dealing.settings import Plain, toml_text
from controller.games import GAMES
from controller.service.config import Config
from controller.table.codes import ALARMS, IRREGULARITIES, REFUSALS, REMEDIES, Code
from device_profiles.loader import load_profile
from device_profiles.schema import CommandMessage, Entry, EventMessage, Field

if TYPE_CHECKING:
    from sphinx.application import Sphinx

DRAWN_GAME: Final = "colorado-hold-em-poker"
"""The game whose machine the page on procedures shows."""
SHORT: Final = 120
"""Characters of a default that a cell of a table shows."""
GENERATED: Final = Path(__file__).parent.parent / "_generated"


def configuration_lines() -> Iterator[str]:
    """Every table and key of the configuration file, from the types that read it."""
    yield from _struct_lines(Config, "", "The file")


def _struct_lines(struct: type[msgspec.Struct], path: str, title: str) -> Iterator[str]:
    hints = typing.get_type_hints(struct, include_extras=True)
    nested: list[tuple[type[msgspec.Struct], str, str]] = []
    yield from ("", f"## {title}", "", _sentence(struct.__doc__), "")
    yield from ("| key | needs | default | meaning |", "|---|---|---|---|")
    for field in msgspec.structs.fields(struct):
        hint = hints[field.name]
        yield f"| `{field.encode_name}` | {_needs(hint)} | {_default(field)} | {_about(hint)} |"
        inner, many = _inner_struct(hint)
        if inner is not None:
            name = f"{path}.{field.encode_name}" if path else field.encode_name
            nested.append((inner, name, f"`[[{name}]]`" if many else f"`[{name}]`"))
    for inner, name, heading in nested:
        yield from _struct_lines(inner, name, heading)


def _inner_struct(hint: object) -> tuple[type[msgspec.Struct] | None, bool]:
    plain = get_args(hint)[0] if get_origin(hint) is Annotated else hint
    many = get_origin(plain) is tuple
    item = get_args(plain)[0] if many else plain
    return (item, many) if isinstance(item, type) and issubclass(item, msgspec.Struct) else (None, many)


def _meta(hint: object) -> msgspec.Meta | None:
    notes = get_args(hint)[1:] if get_origin(hint) is Annotated else ()
    return next((note for note in notes if isinstance(note, msgspec.Meta)), None)


def _needs(hint: object) -> str:
    meta = _meta(hint)
    return _cell(str(meta.extra["needs"])) if meta is not None and meta.extra else ""


def _about(hint: object) -> str:
    meta = _meta(hint)
    return _cell(meta.description or "") if meta is not None else ""


def _default(field: msgspec.structs.FieldInfo) -> str:
    if field.required:
        return "required"
    value = field.default
    if value is msgspec.NODEFAULT or isinstance(value, msgspec.Struct) or value in ((), {}):
        return ""
    if isinstance(value, Enum):
        value = value.value
    return "none" if value is None else f"`{msgspec.json.encode(value).decode()}`"


def command_line_lines() -> Iterator[str]:
    """The help text of every command, as the command itself prints it."""
    yield from _command_lines(root, "shoed", None)


def _command_lines(command: click.Command, name: str, parent: click.Context | None) -> Iterator[str]:
    context = command.make_context(name.rsplit(" ", 1)[-1], [], parent=parent, resilient_parsing=True)
    yield from ("", f"## `{name}`", "", "```text", *command.get_help(context).splitlines(), "```")
    if isinstance(command, click.Group):
        for child in command.list_commands(context):
            found = command.get_command(context, child)
            if found is not None and not found.hidden:
                yield from _command_lines(found, f"{name} {child}", context)


def code_lines() -> Iterator[str]:
    """Refusals, irregularities, alarms and remedies with their sentences and the operator's pages."""
    yield from _code_table("Refusals", REFUSALS)
    yield from _code_table("Irregularities", IRREGULARITIES)
    yield from _code_table("Other alarms", {code: entry for code, entry in ALARMS.items() if code not in IRREGULARITIES})
    yield from ("", "## Remedies", "", "| remedy | what it means |", "|---|---|")
    yield from (f"| `{code}` | {meaning} |" for code, meaning in REMEDIES.items())


def _code_table(title: str, codes: Mapping[str, Code]) -> Iterator[str]:
    yield from ("", f"## {title}", "", "| code | what happened | what to do |", "|---|---|---|")
    for code, entry in codes.items():
        yield f"| [{code}](../operator/{code}.md) | {_cell(entry.happened)} | {_cell(entry.do)} |"


def game_lines() -> Iterator[str]:
    """Every game by its first permitted method: steps, irregularities and settings, each with its rule and standing."""
    for game in GAMES.values():
        procedures = permitted_procedures(game)
        yield from ("", f"## {game.title}", "", game.summary, "")
        yield f"Key `{game.key}`, {game.law}; dealt by {', '.join(p.method.value for p in procedures)}."
        for procedure in procedures:
            yield from ("", f"### {game.title} by {procedure.method.value}", "", "| line | what is done | rule | standing |")
            yield "|---|---|---|---|"
            for line in procedure_lines(procedure):
                standing = f"{line.standing}; {line.note}" if line.note else line.standing
                yield f"| {_cell(line.name)} | {_cell(line.words)} | {_cell(line.rule)} | {_cell(standing)} |"
        yield from (
            "",
            f"### House settings of {game.title}",
            "",
            "| setting | default | allowed | meaning | rests on |",
            "|---|---|---|---|---|",
        )
        for setting in setting_lines(game, procedures[0]):
            words = f"{_cell(setting.meaning)} | {_cell(setting.rule)} ({setting.standing})"
            yield f"| `{setting.name}` | {_cell(_short(setting.default))} | {_cell(setting.allowed)} | {words} |"


def _short(value: Plain) -> str:
    text = toml_text(value)
    return text if len(text) <= SHORT else f"{text[:SHORT]} ... (`shoed games settings` shows all)"


def sdp1_lines() -> Iterator[str]:
    """Commands, events and their fields, from the profile."""
    profile = load_profile("sdp1")
    yield from ("", "## Commands", "", "| code | name | payload | response after the status | role | time |")
    yield "|---|---|---|---|---|---|"
    for name, command in profile.commands.items():
        yield _command_row(name, command)
    yield from ("", "## Events", "", "Each payload begins `eseq u32, t u32`.", "", "| code | name | rest of payload |")
    yield "|---|---|---|"
    for name, event in profile.events.items():
        yield _event_row(name, event)
    for name, fields in profile.groups.items():
        yield from ("", f"## Group `{name}`", "", _payload(fields))
    for name, enum in profile.enums.items():
        yield from ("", f"## Values `{name}`", "", "| value | name |", "|---|---|")
        yield from (f"| {number:02X} | {word} |" for word, number in enum.values.items())
        yield from (f"| {low:02X} to {high:02X} | {word} |" for word, (low, high) in enum.ranges.items())
    for name, registry in profile.registries.items():
        yield from ("", f"## Registry `{name}`", "", registry.doc, "", "| number | name | meaning |", "|---|---|---|")
        for word, entry in registry.entries.items():
            yield f"| {entry.number:02X} | {word} | {_cell('; '.join(filter(None, (entry.doc, _value_words(entry)))))} |"
        yield from (f"| {low:02X} to {high:02X} | {word} | |" for word, (low, high) in registry.ranges.items())
    for name, flags in profile.flags.items():
        yield from ("", f"## Flags `{name}`", "", "| bit | name |", "|---|---|")
        yield from (f"| {number:02X} | {word} |" for word, number in flags.bits.items())


def _value_words(entry: Entry) -> str:
    """What goes with a number of a registry: size and limits of its value."""
    if entry.size is None:
        return ""
    high = entry.max if entry.max is not None else (1 << 8 * entry.size) - 1
    return f"{entry.size} byte{'s' if entry.size > 1 else ''}, {entry.min} to {high}"


def _command_row(name: str, command: CommandMessage) -> str:
    shown = name.replace("-", "_").upper()
    answer = _payload(command.response)
    who = f"{command.role.value} | {command.max_s:g} s"
    return f"| {command.code:02X} | {shown} | {_payload(command.fields)} | {answer} | {who} |"


def _event_row(name: str, event: EventMessage) -> str:
    return f"| {event.code:02X} | {name.replace('-', '_').upper()} | {_payload(event.fields)} |"


def _payload(fields: Iterable[Field]) -> str:
    return ", ".join(map(_field, fields)) or "-"


def _field(field: Field) -> str:
    kind = field.type.value + (f" {field.size}" if field.size else "") + (f" `{field.registry}`" if field.registry else "")
    inner = f" of ({_payload(field.items)})" if field.items else ""
    tag = f"{field.tag}: " if field.tag is not None else ""
    text = f"{tag}{field.name} {kind}{inner}"
    return f"[{text}]" if field.optional else text


def _sentence(text: str | None) -> str:
    return " ".join((text or "").split())


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


PAGES: Final[dict[str, Callable[[], Iterator[str]]]] = {
    "configuration.md": configuration_lines,
    "command-line.md": command_line_lines,
    "codes.md": code_lines,
    "sdp1-messages.md": sdp1_lines,
    "games.md": game_lines,
    "profile-language.md": profile_language_lines,
}


def write_pages(folder: Path) -> None:
    """Write all pages into the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, lines in PAGES.items():
        (folder / name).write_text("\n".join(lines()) + "\n", encoding="utf-8")
    procedure = build_procedure(GAMES[DRAWN_GAME], "hand", {})
    (folder / f"{DRAWN_GAME}.svg").write_text(svg(procedure), encoding="utf-8")


def setup(app: Sphinx) -> dict[str, object]:
    """Register with Sphinx."""
    app.connect("builder-inited", lambda _app: write_pages(GENERATED))
    return {"parallel_read_safe": True}
