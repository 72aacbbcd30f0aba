"""A table in shadow mode: it follows the shoe of another host, asks nothing of any device, and keeps the evidence of differences.

What the line means for the table is decided by `controller.table.following`; here are its configuration and its words for people.
"""

from __future__ import annotations

from collections.abc import Mapping

from controller.dealing.procedure import Procedure
from controller.service.config import DeviceKind, Mode, Setup, TableConfig
from controller.service.errors import ConfigError
from controller.service.evidence import Evidence
from controller.service.logs import Logger
from controller.table.acts import AnyAct
from controller.table.following import Words, follows_alone, missed, next_after, next_before
from controller.table.state import TableState
from firmware_bridge.events import DeviceEvent

ROUNDS = "rounds"
"""The ability of a plain device to tell where rounds begin and end."""
MISSING_NOTICES = frozenset({"unheard", "events-lost"})
"""Notices that say that something passed which nobody heard."""
DIFFERS = "told-differs"


class Beside:
    """How one table follows another host."""

    def __init__(self, procedure: Procedure, words: Words, evidence: Evidence, logger: Logger) -> None:
        self.words = words
        self._procedure, self._evidence, self._logger = procedure, evidence, logger

    def before(self, state: TableState, event: DeviceEvent) -> AnyAct | None:
        """Return the next act that must have been made before this event."""
        return next_before(self._procedure, state, event, self.words)

    def after(self, state: TableState, event: DeviceEvent) -> AnyAct | None:
        """Return the next act that this event shows, once it has been taken."""
        return next_after(self._procedure, state, event, self.words)

    def noticed(self, state: TableState, notice: str) -> AnyAct | None:
        """Return the act that follows from a notice of the line."""
        return missed(self._procedure, state) if notice in MISSING_NOTICES else None

    def alarmed(self, entry: int, alarm: str) -> None:
        """Keep the evidence of a difference."""
        if alarm == DIFFERS:
            self._evidence.keep(entry, self._logger)

    async def ended(self) -> None:
        """Wait for what is being written."""
        await self._evidence.kept()

    def told(self, state: TableState) -> dict[str, object]:
        """Return how the table follows, for the API."""
        return {
            "rounds": self.words.value,
            "knowledge": "partial" if state.deck.partial or not state.deck.loaded else "whole",
            "agreed": state.agreed,
            "differed": state.differed,
        }


def words_of(setup: Setup, table: TableConfig, procedure: Procedure, abilities: Mapping[str, frozenset[str] | None]) -> Words | None:
    """Return how rounds are known at a table in shadow mode; None for a table that deals itself. `abilities` None: SDP/1.

    Raises:
        ConfigError: the line or the game does not give what is configured.
    """
    if table.mode is not Mode.SHADOW:
        return None
    shoes = [abilities[device.name] for device in table.device if device.kind is DeviceKind.SHOE]
    alone = follows_alone(procedure)
    possible = [Words.PEOPLE]
    if alone:
        possible.insert(0, Words.CARDS)
    if alone and any(can is None or ROUNDS in can for can in shoes):
        possible.insert(0, Words.LINE)
    if table.rounds is None:
        return possible[0]
    if table.rounds not in possible:
        why = "its device does not tell them" if alone else f"somebody decides in {procedure.game.key} as it is set, which no line tells"
        ways = " or ".join(f'"{words.value}"' for words in possible)
        raise ConfigError("no-such-rounds", setup.file, f"table.{table.id}.rounds", f"cannot be followed so: {why}", f"write {ways}")
    return table.rounds


def verify_mode(setup: Setup, table: TableConfig) -> None:
    """Check that what is configured fits who deals.

    Raises:
        ConfigError: it does not.
    """
    file, key, shadow = setup.file, f"table.{table.id}", table.mode is Mode.SHADOW
    if table.rounds is not None and not shadow:
        what, do = "is for shadow mode, and this table deals itself", 'leave it out, or write mode = "shadow"'
        raise ConfigError("key-without-use", file, f"{key}.rounds", what, do)
    for device in table.device:
        where = f"{key}.device.{device.name}"
        if shadow and device.write:
            raise ConfigError("shadow-writes", file, f"{where}.write", "grants writing on another host's line", "leave it out")
        if shadow and device.security:
            what = "asks for a sealed session, which tells a third party nothing"
            raise ConfigError("shadow-sealed", file, f"{where}.security", what, "set security = 0, and leave the line open")
        if shadow and setup.place_of(device).bus:
            raise ConfigError("wrong-line", file, f"{where}.port", "names a bus of this daemon", "name the port of the tap")
        if not shadow and device.kind is DeviceKind.HOST:
            what = "is another host, and this table deals itself"
            raise ConfigError("host-without-shadow", file, f"{where}.kind", what, 'write mode = "shadow" at the table, or leave it out')
