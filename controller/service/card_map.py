"""The card map of a table: which card carries which tag, for readers that tell tags and no cards.

A TOML file with one table, `[cards]`: the tag as the reader writes it, in quotes, and the card in the notation of scenarios. Several tags
may name one card, since a shoe holds several decks. A tag that is not listed is a card that was not read, never a guess.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from controller.service.errors import ConfigError
from controller.service.strict import shown
from device_profiles.toml_text import TomlTextError, parse_toml
from firmware_bridge.cards import CardTextError, parse_card

FILE_MAX_BYTES: Final = 1 << 20
TAGS_MAX: Final = 5_000
"""Twelve decks of 52 cards with eight tags each."""
TAG_MAX_CHARS: Final = 64


def read_card_map(path: Path, config: Path, key: str) -> dict[str, str]:
    """Return card names by tag in capitals; `config` and `key` are where the file is named, for the errors.

    Raises:
        ConfigError: the file cannot be read, or an entry is none.
    """
    try:
        with path.open("rb") as stream:
            content = stream.read(FILE_MAX_BYTES + 1)
    except OSError as error:
        raise _wrong(config, key, f"the card map {path} cannot be read: {error.strerror}") from error
    if len(content) > FILE_MAX_BYTES:
        raise _wrong(config, key, f"the card map {path} is longer than {FILE_MAX_BYTES >> 20} MiB")
    try:
        tables = parse_toml(content)
    except TomlTextError as error:
        raise _wrong(config, key, f"the card map {path} is no TOML: {error}") from error
    cards = tables.get("cards")
    if set(tables) != {"cards"} or not isinstance(cards, dict) or not 1 <= len(cards) <= TAGS_MAX:
        raise _wrong(config, key, f"the card map {path} needs one table [cards] with 1 to {TAGS_MAX} tags")
    return {_tag(tag, path, config, key): _card(tag, card, path, config, key) for tag, card in cards.items()}


def _tag(tag: str, path: Path, config: Path, key: str) -> str:
    if not 1 <= len(tag) <= TAG_MAX_CHARS:
        raise _wrong(config, key, f"the card map {path} has a tag of {len(tag)} characters; 1 to {TAG_MAX_CHARS} are possible")
    return tag.upper()


def _card(tag: str, card: object, path: Path, config: Path, key: str) -> str:
    try:
        return parse_card(card if isinstance(card, str) else "").name
    except CardTextError as error:
        raise _wrong(config, key, f"the card map {path} gives the tag {shown(tag)} the card {shown(card)}, which is none") from error


def _wrong(config: Path, key: str, what: str) -> ConfigError:
    return ConfigError("bad-card-map", config, key, what, 'write such as [cards] and "04AABBCC" = "Ah", one line a tag')
