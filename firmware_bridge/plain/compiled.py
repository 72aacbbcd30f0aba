"""Frames of plain devices to messages and canonical events, and back, compiled once from a profile.

What a device does not tell (event number, time, position) is the session's to count. Whether the profile's own vectors come out is asked in
`vectors`; what is used is a `codec.PlainCodec`, whose have.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from device_profiles.errors import FieldError, FieldRangeError
from device_profiles.plain.connecting import states_of
from device_profiles.plain.frames import Tokens, Way
from device_profiles.plain.messages import Plain, PlainMessage
from device_profiles.plain.profile import PlainProfile
from firmware_bridge.commands import Command, Request
from firmware_bridge.events import DeviceEvent
from firmware_bridge.plain.abilities import capabilities_of
from firmware_bridge.plain.fields import Names
from firmware_bridge.plain.framers import FramingAtWork, GrammarReader, PlainFrame, PlainFramer, Searcher
from firmware_bridge.plain.heard import Hear, PlainHeard
from firmware_bridge.plain.mapping import verify_status
from firmware_bridge.plain.messages import MessageAtWork
from firmware_bridge.plain.promises import verify_promises
from firmware_bridge.plain.reading import read_line

NO_CARDS: Final[Mapping[str, str]] = {}
_OUT: Final = Way.OUT
"""Looked up once: an enumeration takes longer to give its member than a card takes to be looked up."""


class CompiledProfile:
    """A plain profile at work; serves all connections of its profile."""

    def __init__(self, profile: PlainProfile) -> None:
        """Compile `profile`.

        Raises:
            ProfileError: a name has no meaning, or a checksum or pattern cannot be used.
        """
        self.profile = profile
        self.file = f"{profile.name}.toml"
        tables = {name: Names(table) for name, table in profile.names.items()}
        self._readers = {grammar.name: GrammarReader(grammar, self.file) for grammar in profile.framing.grammars}
        self.messages = {m.name: MessageAtWork(m, self._readers[m.grammar], tables, self.file) for m in profile.messages}
        self._heard = [m for m in self.messages.values() if m.message.way in (Way.IN, Way.BOTH)]
        self._said = [m for m in self.messages.values() if m.message.way in (Way.OUT, Way.BOTH)]
        self._sorters_in, self._sorters_out = _sorters(self._heard), _sorters(self._said)
        self.by_name = {message.name: message for message in profile.messages}
        self.connect_states = {s.name: s for s in states_of(profile.connect, self.by_name)}
        """The states of every connection of the profile, the first one first."""
        self._carriers = {message.carries: message for message in profile.messages if message.carries is not None}
        self.capabilities = {granted: capabilities_of(profile, may_write=granted) for granted in (False, True)}
        """What the device can do, by whether it may be written to."""
        self._framings: dict[Way, FramingAtWork] = {}
        for message in profile.messages:
            verify_status(message, self.file)
        verify_promises(profile, self.file)

    def framer(self, way: Way, *, pauses: bool = False) -> PlainFramer:
        """A framer for one direction of one connection, or for both of them on one wire."""
        framing = self._framings.get(way)
        if framing is None:
            rules = self.profile.framing
            search = self._token_search(way) if any(isinstance(g, Tokens) for g in rules.grammars) else None
            framing = self._framings[way] = FramingAtWork(rules, way, self._readers, search)
        return PlainFramer(framing, pauses=pauses)

    def _token_search(self, way: Way) -> Searcher:
        patterns = [(m.message.grammar, m.pattern) for m in (self._said if way is Way.OUT else self._heard) if m.pattern is not None]

        def search(waiting: bytes) -> tuple[int, int, str] | None:
            text = waiting.decode("latin-1")
            best: tuple[int, int, str] | None = None
            for grammar, pattern in patterns:
                found = pattern.search(text)
                if found is not None and (best is None or found.start() < best[0]):
                    best = (found.start(), found.end(), grammar)
            return best

        return search

    def read(self, frame: PlainFrame, cards: Mapping[str, str] | None = None, way: Way = Way.IN) -> PlainHeard | None:
        """What a frame says; None when no message fits. `cards` maps tags to card names.

        Raises:
            FieldError: it fits a message and a field of it cannot be read.
        """
        sorter = (self._sorters_out if way is _OUT else self._sorters_in).get(frame.grammar)
        if sorter is None:
            return None
        content = frame.content
        try:
            messages = sorter.by_byte[content[sorter.at]]
        except IndexError:
            messages = sorter.messages
        for hear in messages:
            heard = hear(content, cards or NO_CARDS)
            if heard is not None:
                return heard
        return None

    def message_of(self, command: Command) -> PlainMessage | None:
        """The message that carries a command, or has the name that is asked for; None where there is none."""
        return self.by_name.get(command.name) if isinstance(command, Request) else self._carriers.get(type(command).__name__)

    def is_hosts(self, frame: PlainFrame) -> bool:
        """Whether a frame is a message that the host says."""
        try:
            return self.read(frame, way=Way.OUT) is not None
        except FieldError:
            return False

    def write(self, name: str, values: Mapping[str, Plain | bytes] | None = None) -> bytes:
        """The bytes on the wire of a message.

        Raises:
            FieldError: there is no such message, or a value does not fit.
        """
        if name not in self.messages:
            raise FieldRangeError(f"profile '{self.profile.name}' has no message '{name[:40]}'")
        return self.messages[name].write(values or {})

    def event_of(self, heard: PlainHeard, t_ms: int, position: int) -> DeviceEvent | None:
        """The canonical event that a message is, not numbered yet; None when it is none. `position` counts the cards of this shoe."""
        make = heard.make
        return make(heard.fields, heard.card, t_ms, position) if make is not None else None


class FrameSorter:
    """Who hears the frames of one grammar: its messages in the order of the profile, of which the first that fits is it."""

    __slots__ = ("at", "by_byte", "messages")

    def __init__(self, messages: list[MessageAtWork]) -> None:
        are_trees = any(message.read_tree for message in messages)
        self.messages = (_hearing_trees(messages),) if are_trees else tuple(message.hear for message in messages)
        """All of them, for a frame that does not reach that place."""
        sorted_at = {at: _sorted_at(messages, at) for message in messages for at in (0, *message.accepted)}
        self.at = min(sorted_at, key=lambda at: sum(len(left) ** 2 for left in sorted_at[at]))
        """The place whose byte leaves the fewest messages to try; the first one where none tells any."""
        hearing = {message.message.name: message.hearing(self.at) for message in messages}
        by_byte = (tuple(hearing[message.message.name] for message in left) for left in sorted_at[self.at])
        self.by_byte = (self.messages,) * 256 if are_trees else tuple(by_byte)


def _sorted_at(messages: list[MessageAtWork], at: int) -> list[list[MessageAtWork]]:
    """By the byte at this place: the messages that a frame may be."""
    left: list[list[MessageAtWork]] = [[] for _ in range(256)]
    for message in messages:
        for byte in message.accepted.get(at, range(256)):
            left[byte].append(message)
    return left


def _hearing_trees(messages: list[MessageAtWork]) -> Hear:
    """Of lines of which some are JSON values: such a line is read once for all of them."""

    def hear(content: bytes, cards: Mapping[str, str]) -> PlainHeard | None:
        tree: object = None
        is_read = False
        for message in messages:
            if message.read_tree is None:
                heard = message.hear(content, cards)
            else:
                if not is_read:
                    tree, is_read = read_line(content), True
                values = message.read_tree(tree)
                heard = message.heard(content, values, cards) if values is not None else None
            if heard is not None:
                return heard
        return None

    return hear


def _sorters(messages: list[MessageAtWork]) -> dict[str, FrameSorter]:
    by_grammar: dict[str, list[MessageAtWork]] = {}
    for message in messages:
        by_grammar.setdefault(message.message.grammar, []).append(message)
    return {grammar: FrameSorter(found) for grammar, found in by_grammar.items()}
