"""A decided act as bytes for the journal, and back.

The body is JSON text: `{"act": {...}, "facts": [...]}`. Hidden cards do not stand in it; each is `{"sealed": i}`, the i-th byte of a second
string, one card byte each, which the journal encrypts. Cards that the procedure has shown stand in the body by name.
"""

from __future__ import annotations

from typing import Any

import msgspec

from controller.errors import NotInOrderError
from controller.table.acts import AnyAct, Decide, SetHand
from controller.table.facts import AnyFact
from firmware_bridge.cards import UNREADABLE, Card, CardTextError, Sealed, card_from_code, parse_card, unseal


class RecordError(NotInOrderError):
    """A record whose text is not what this software writes."""


class Record(msgspec.Struct, frozen=True):
    """One act and what became of it."""

    act: AnyAct
    facts: tuple[AnyFact, ...]


class _Sealer:
    """Collects hidden cards while a record is encoded."""

    def __init__(self) -> None:
        self.codes = bytearray()

    def hook(self, value: object) -> object:
        """Hidden cards sealed, shown ones by name."""
        if isinstance(value, Card):
            return value.name
        return self.hide(value)

    def hide(self, value: object) -> object:
        """Every card sealed: a person named cards that lie face down."""
        if isinstance(value, Sealed):
            value = unseal(value, "journal encryption")
        if isinstance(value, Card):
            self.codes.append(value.code)
            return {"sealed": len(self.codes) - 1}
        raise NotImplementedError(f"no record form for {type(value).__name__}")


class _Opener:
    """Puts hidden cards back while a record is decoded."""

    def __init__(self, codes: bytes) -> None:
        self._codes = codes

    def hook(self, kind: type, value: Any) -> object:
        if kind is Sealed:
            return self._card(value).sealed
        if kind is Card:
            return self._card(value) if isinstance(value, dict) else parse_card(value)
        raise NotImplementedError(f"no record form for {kind.__name__}")

    def _card(self, value: Any) -> Card:
        index = value.get("sealed") if isinstance(value, dict) else None
        if not isinstance(index, int) or not 0 <= index < len(self._codes):
            raise ValueError("a hidden card of this record is not there")
        return card_from_code(self._codes[index]) or UNREADABLE


def encode_entry(act: AnyAct, facts: tuple[AnyFact, ...]) -> tuple[bytes, bytes]:
    """(body, cards): JSON text, and one byte per hidden card in the order of their placeholders."""
    sealer = _Sealer()
    named_face_down = isinstance(act, Decide | SetHand)
    act_json = msgspec.json.Encoder(enc_hook=sealer.hide if named_face_down else sealer.hook).encode(act)
    facts_json = msgspec.json.Encoder(enc_hook=sealer.hook).encode(facts)
    return b'{"act":' + act_json + b',"facts":' + facts_json + b"}", bytes(sealer.codes)


def decode_entry(body: bytes, cards: bytes) -> tuple[AnyAct, tuple[AnyFact, ...]]:
    """The act and its facts.

    Raises:
        RecordError: the body is not a record of this software, or a hidden card is missing.
    """
    try:
        record = msgspec.json.Decoder(Record, dec_hook=_Opener(cards).hook).decode(body)
    except (msgspec.MsgspecError, CardTextError, ValueError) as error:
        raise RecordError(
            code="record",
            what=f"A record cannot be read: {error}.",
            do="Verify the journal; use the software that wrote it.",
        ) from error
    return record.act, record.facts
