"""Everything that passed on a line while it was checked, in order: what the host said, and every frame that was heard or was none.

A frame that tells a card is dots in the evidence unless whoever checks may see cards; so is whatever was no frame, which may hold one too.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import msgspec

from controller.technician.secrets_in import HIDDEN, hex_of, tells_secret
from device_profiles.errors import FieldError
from device_profiles.plain.frames import Way
from firmware_bridge.plain.codec import PlainCodec
from firmware_bridge.plain.framers import PlainFault, PlainFrame, Trouble
from firmware_bridge.plain.heard import PlainHeard
from firmware_bridge.plain.mapping import CARD_EVENTS
from firmware_bridge.plain.sameness import KEPT_MAX

ENTRIES_MAX: Final = 20_000
"""Of one run: a device that says more within the minutes of a check floods its line; what comes later is not kept."""
EVIDENCE_MAX: Final = 24
"""Entries that one check shows: a question with all its repetitions, and what came meanwhile."""
COPY_S: Final = 0.1
"""A device says its copies one right after another: what comes later than this after an opening had no copy before it."""
ANOTHER: Final = "none"
"""Stands for the message of a frame that is no message of the profile."""


class Evidence(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that passed, as a report shows it."""

    at_ms: float
    way: Way
    message: str
    hex: str


class Entry(NamedTuple):
    """One thing that passed. `heard` is None for what the host said and for what was no message."""

    at_s: float
    way: Way
    content: bytes
    message: str
    heard: PlainHeard | None = None
    grammar: str | None = None
    fault: PlainFault | None = None
    problem: str = ""
    """Why a whole frame could not be read."""
    is_early: bool = False
    """No whole frame was heard since the port was opened: the opening may have cut this one."""


class Record:
    """What passed on one line. `pauses`: bytes may come in any pieces, so a pause inside a frame says nothing."""

    def __init__(self, codec: PlainCodec, began_s: float, *, pauses: bool, show_cards: bool) -> None:
        self.codec, self.pauses = codec, pauses
        self.entries: list[Entry] = []
        self.opened_at: list[int] = []
        """Places in `entries` at which the port was opened."""
        self.listened_from_s = self.ended_s = began_s
        self._began_s, self._show = began_s, show_cards
        self._opened_s: list[float] = []
        self._framer = codec.framer(Way.IN, pauses=pauses)
        self._secret = {name: tells_secret(at_work.message) for name, at_work in codec.messages.items()}
        self._is_early = True

    def opened(self, now_s: float) -> None:
        """The port was opened: what was under way before is lost."""
        self._framer.reset()
        self._is_early = True
        self.opened_at.append(len(self.entries))
        self._opened_s.append(now_s)

    def was_opened_near(self, at_s: float, within_s: float) -> bool:
        """Whether copies of what was heard at this moment may be lost because the port was shut within this time, or just before."""
        return any(opened_s - within_s <= at_s <= opened_s + COPY_S for opened_s in self._opened_s)

    def said(self, wire: bytes, message: str, now_s: float) -> None:
        """The host said this."""
        self._keep(Entry(now_s, Way.OUT, wire, message))

    def heard(self, chunk: bytes, now_s: float) -> list[Entry]:
        """Bytes came, or none for a while; return what they complete."""
        self.ended_s = now_s
        found = self._framer.feed(chunk, now_s) if chunk else self._framer.expire(now_s)
        entries = [self._entry(item, now_s) for item in found]
        for entry in entries:
            self._keep(entry)
        return entries

    def frames(self) -> list[Entry]:
        """The whole frames that were heard."""
        return [entry for entry in self.entries if entry.grammar is not None]

    def messages(self) -> list[tuple[Entry, PlainHeard]]:
        """The messages that were heard, and the frame that each came in; what a ring or a group holds comes after it."""
        found = []
        for entry in self.entries:
            if entry.heard is not None:
                found += [(entry, entry.heard), *((entry, part) for part in entry.heard.ring)]
        return found

    def new_cards(self, place: int) -> list[Entry]:
        """The cards that were told from this place on, repetitions of what was heard before left out."""
        known = {entry.content for entry in self.entries[max(0, place - KEPT_MAX) : place]}
        found: dict[bytes, Entry] = {}
        for entry in self.entries[place:]:
            means = entry.heard.means if entry.heard is not None else None
            if means is not None and means.event in CARD_EVENTS and entry.content not in known:
                found.setdefault(entry.content, entry)
        return list(found.values())

    def evidence(self, entries: list[Entry]) -> tuple[Evidence, ...]:
        """What a report shows of these."""
        return tuple(self._shown(entry) for entry in entries[:EVIDENCE_MAX])

    def since(self, place: int) -> tuple[Evidence, ...]:
        """What a report shows of everything from this place on."""
        return self.evidence(self.entries[place:])

    def _keep(self, entry: Entry) -> None:
        if len(self.entries) < ENTRIES_MAX:
            self.entries.append(entry)

    def _entry(self, item: PlainFrame | Trouble, now_s: float) -> Entry:
        if isinstance(item, Trouble):
            return Entry(now_s, Way.IN, item.content, item.fault.value, fault=item.fault, is_early=self._is_early)
        self._is_early = False
        problem, heard = "", None
        try:
            heard = self.codec.read(item)
        except FieldError as error:
            problem = str(error)
        return Entry(now_s, Way.IN, item.content, heard.name if heard is not None else ANOTHER, heard, item.grammar, problem=problem)

    def _shown(self, entry: Entry) -> Evidence:
        hidden = entry.way is Way.IN and not self._show and (entry.heard is None or self._secret[entry.heard.name])
        return Evidence(
            at_ms=round((entry.at_s - self._began_s) * 1000, 1),
            way=entry.way,
            message=entry.message,
            hex=HIDDEN if hidden else hex_of(entry.content),
        )
