"""Device profiles: which there are, what each can and cannot do, whether a file holds what it promises, its protocol as a page."""

from __future__ import annotations

import json
from pathlib import Path

import click
import msgspec

from controller.cli.output import json_option, write_json, write_line, write_listing
from controller.cli.profile_checks import checks
from controller.cli.shelves import PROFILES_OPTION, shelf_of
from controller.errors import NotInOrderError, ShoedError, as_sentence
from controller.technician.reach import MEND, WHERE_TO_LOOK
from device_profiles.errors import ProfileError, UnknownProfileError
from device_profiles.extending import OWN, extended
from device_profiles.loader import PROFILE_BYTES_MAX, parse_profile, read_tables
from device_profiles.plain.describe import about_lines, line_words, page_lines, summary_lines
from device_profiles.plain.loader import PLAIN_LINK, plain_profile
from device_profiles.plain.profile import PlainProfile
from device_profiles.schema import Profile
from device_profiles.shelf import ProfileShelf
from firmware_bridge.capture.dissector import lua_of, lua_of_sdp1
from firmware_bridge.codec import Codec
from firmware_bridge.plain.codec import PlainCodec


class ProfileNotFoundError(ShoedError):
    """No profile has this name."""


class ProfileNotInOrderError(NotInOrderError):
    """A profile that cannot be used."""


@click.group("profile")
def command() -> None:
    """List, show and check device profiles."""


command.add_command(checks)


def _loaded(name: str, shelf: ProfileShelf) -> Profile | PlainProfile:
    try:
        return shelf.get(name)
    except UnknownProfileError as error:
        raise ProfileNotFoundError("no-such-profile", as_sentence(str(error)), WHERE_TO_LOOK) from error
    except ProfileError as error:
        raise ProfileNotFoundError("profile-not-in-order", as_sentence(str(error)), MEND) from error


@command.command("list")
@PROFILES_OPTION
@json_option
def list_profiles(profiles: Path | None, as_json: bool) -> None:
    """All profiles, those of the product and those of a directory, and how well each protocol is known."""
    rows = []
    shelf = shelf_of(profiles)
    for name in shelf.names():
        profile = _loaded(name, shelf)
        lines = line_words(profile) if isinstance(profile, PlainProfile) else [f"serial {profile.serial.baud}", "tcp://HOST:PORT"]
        about = profile.about
        row = {"profile": name, "from": "directory" if shelf.is_own(name) else "product", "trust": about.trust.value}
        row |= {"lines": ", ".join(lines), "title": about.title + (" (deprecated)" if about.deprecated else "")}
        rows.append(row)
    write_listing(rows, ("profile", "from", "trust", "lines", "title"), as_json=as_json)


@command.command()
@click.argument("name")
@PROFILES_OPTION
@json_option
def show(name: str, profiles: Path | None, as_json: bool) -> None:
    """What a device of this profile can do, what it cannot, and what is in doubt."""
    profile = _loaded(name, shelf_of(profiles))
    if as_json:
        write_json(
            {"profile": name, "about": msgspec.to_builtins(profile.about), "messages": _message_names(profile)} | _abilities(profile)
        )
        return
    if isinstance(profile, PlainProfile):
        for line in summary_lines(profile):
            write_line(line)
    else:
        about = profile.about
        write_line(f"{about.title} ({about.vendor}), revision {about.revision}, {about.trust.value}")
        for line in about_lines(about):
            write_line(line)
    write_line(f"Messages: {', '.join(_message_names(profile))}.")


def _message_names(profile: Profile | PlainProfile) -> list[str]:
    if isinstance(profile, PlainProfile):
        return [message.name for message in profile.messages]
    return [*profile.commands, *profile.events]


def _abilities(profile: Profile | PlainProfile) -> dict[str, object]:
    return {"can": list(profile.can), "cannot": list(profile.cannot)} if isinstance(profile, PlainProfile) else {}


@command.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@PROFILES_OPTION
@json_option
def check(file: Path, profiles: Path | None, as_json: bool) -> None:
    """Read a profile's file, compile it and run its vectors. Nothing of it can run code, open files or reach a network.

    What it extends is a profile of the product, or one of the directory.
    """
    shelf = shelf_of(profiles)
    try:
        with file.open("rb") as stream:
            tables = read_tables(stream.read(PROFILE_BYTES_MAX + 1), file.name)
        if extended(tables, file.name, shelf.base).get("link") == PLAIN_LINK:
            profile: Profile | PlainProfile = PlainCodec(plain_profile(tables, file.name, shelf.base)).profile
        else:
            profile = Codec(parse_profile(tables, file.name, shelf.base)).profile
    except ProfileError as error:
        raise ProfileNotInOrderError("profile-not-in-order", as_sentence(str(error)), "Correct that place and check again.") from error
    vectors = len(profile.vectors)
    if as_json:
        write_json({"file": str(file), "profile": profile.name, "vectors": vectors, "passed": True})
    else:
        write_line(f"{file}: profile {profile.name} is in order; {_vectors_words(vectors)} out both ways.")


def _vectors_words(vectors: int) -> str:
    return "its one vector comes" if vectors == 1 else f"{vectors} vectors come"


@command.command()
@click.argument("name")
@PROFILES_OPTION
def doc(name: str, profiles: Path | None) -> None:
    """The protocol as a page in Markdown: frames with their pictures, messages, names of values, vectors."""
    profile = _loaded(name, shelf_of(profiles))
    if not isinstance(profile, PlainProfile):
        raise ShoedError("no-page", "The page of SDP/1 is part of the documents.", "See docs/reference/sdp1.md.")
    for line in page_lines(profile):
        click.echo(line)


@command.command()
@click.argument("name")
@PROFILES_OPTION
def dissector(name: str, profiles: Path | None) -> None:
    """A Lua script with which Wireshark and tshark name each frame of a capture: tshark -X lua_script:FILE -r CAPTURE."""
    profile = _loaded(name, shelf_of(profiles))
    click.echo(lua_of(profile) if isinstance(profile, PlainProfile) else lua_of_sdp1(profile), nl=False)


@command.command()
@click.option("--of", "kind", type=click.Choice(["plain", "sdp1"]), default="plain", help="Which of the two forms of a profile.")
def schema(kind: str) -> None:
    """The JSON Schema of a profile's file, for editors that complete and check while one writes."""
    click.echo(json.dumps(_schema_of(PlainProfile if kind == "plain" else Profile), indent=2))


def _schema_of(form: type[Profile | PlainProfile]) -> dict[str, object]:
    """Return the schema of a whole profile, or of one that leaves to its base what it does not say."""
    schema = msgspec.json.schema(form, schema_hook=_anything)
    whole = schema["$defs"][form.__name__]
    rest = [key for key in whole.pop("required") if key not in OWN]
    whole["required"] = list(OWN)
    whole["anyOf"] = [{"required": ["extends"]}, {"required": rest}]
    return schema


def _anything(kind: type) -> dict[str, object]:
    """The schema of values that a vector may hold: any."""
    if kind is object:
        return {"description": "a value of any kind"}
    raise NotImplementedError
