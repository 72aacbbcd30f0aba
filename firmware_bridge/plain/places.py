"""Binary messages of which every field is one byte at a place: each byte is looked up whole, and says all the fields that it has at once.

What a byte says is found out when it comes for the first time, so a profile takes the memory for what its devices say, whatever they could
say. Until then, in a frame that is too short, and where a byte is no value of its field, the message is read field by field, which tells
what is wrong. Fields that tell a card are never among the values: their bytes are looked up as the card.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence

from device_profiles.plain.messages import PlainMessage
from firmware_bridge.cards import Sealed
from firmware_bridge.plain.fields import FieldAtWork, Values
from firmware_bridge.plain.heard import Hear, PlainHeard
from firmware_bridge.plain.mapping import Meaning, fields_of_card

Said = dict[int, "Values | None"]
"""What bytes say at one place; None for one with which it is another message."""
CardAt = Callable[[bytes, Mapping[str, str]], Sealed]
"""The card of a frame, with the table's own map of tags to cards. Raises LookupError where it is not found."""


class Places:
    """The fields of one message by their places."""

    def __init__(self, message: PlainMessage, fields: Sequence[FieldAtWork], accepted: Mapping[int, frozenset[int]]) -> None:
        """`accepted`: by place, with which bytes there it may be this message; there it is told apart first."""
        self._message, self._accepted = message, accepted
        self._shown = [field.field.name for field in fields if not field.field.secret]
        self._fields = {at: [field for field in fields if field.at == at] for at in (*accepted, *(field.at for field in fields))}

    def hearing(self, meaning: Meaning, otherwise: Hear, sorted_at: int) -> Hear:
        """Return what hears the message, and leaves to `otherwise` what is not found.

        `sorted_at`: the place by which frames were sorted; where one byte alone leads here, it is not looked at again.
        """
        name, (means, make, _) = self._message.name, meaning
        card_at = self._card_at(meaning)
        begun: Values = dict.fromkeys(self._shown, "")  # so they stand in this order, whichever place is looked at first
        places = list(self._fields)
        if len(places) > 1 and (known := self._always(sorted_at)) is not None:
            begun |= known
            places.remove(sorted_at)
        (first_at, first), *rest = tables = [(at, Said()) for at in places]

        def hear(content: bytes, cards: Mapping[str, str]) -> PlainHeard | None:
            try:
                values = first[content[first_at]]
                if values is None:
                    return None
                values = values.copy()
                for at, said in rest:
                    told = said[content[at]]
                    if told is None:
                        return None
                    values |= told
                return PlainHeard(name, values, means, card_at(content, cards) if card_at is not None else None, (), make)
            except LookupError:
                self._learn(tables, begun, content)
                return otherwise(content, cards)

        return hear

    def _always(self, at: int) -> Values | None:
        """What this place says in every such message; None where that is not always the same."""
        accepted = self._accepted.get(at, frozenset())
        return _values(self._fields[at], min(accepted), self._shown) if len(accepted) == 1 else None

    def _learn(self, tables: list[tuple[int, Said]], begun: Values, content: bytes) -> None:
        """Find out what the bytes of a frame say; the first place says what has `begun` as well."""
        for at, said in tables:
            if at < len(content) and (byte := content[at]) not in said:
                is_other = byte not in self._accepted.get(at, range(256))
                values = _values(self._fields[at], byte, self._shown)
                if is_other or values is not None:
                    said[byte] = None if is_other or values is None else begun | values
            begun = {}

    def _card_at(self, meaning: Meaning) -> CardAt | None:
        rule, card_of = meaning.means.card if meaning.means is not None else None, meaning.card_of
        if rule is None or card_of is None:
            return None
        names = fields_of_card(rule)
        telling = {at: fields for at, fields in self._fields.items() if any(field.field.name in names for field in fields)}
        if len(telling) == 1 and not rule.from_map:
            ((at, fields),) = telling.items()
            known = {byte: card_of(values, {}) for byte in range(256) if (values := _values(fields, byte, names)) is not None}
            return lambda content, _cards: known[content[at]]

        def of_several(content: bytes, cards: Mapping[str, str]) -> Sealed:
            values: Values = {}
            for at, fields in telling.items():
                values |= _values(fields, content[at], names) or {}
            return card_of(values, cards)

        return of_several


def _values(fields: Sequence[FieldAtWork], byte: int, names: Container[str]) -> Values | None:
    """What a byte says at the place of these fields, for those of these names; None where it is no value of one of them."""
    values: Values = {}
    for field in fields:
        value = field.by_byte[byte] if field.by_byte is not None else None
        if value is None:
            return None
        if field.field.name in names:
            values[field.field.name] = value
    return values
