"""Values by tags: a part of a frame that holds a tag, a length and a value, over and over. Pure; tags that nobody knows are passed over."""

from __future__ import annotations

from collections.abc import Iterable

from device_profiles.errors import ShortPayloadError
from device_profiles.plain.messages import Tlv

TAGS_MAX = 64
"""Values in one frame; as many fields as a message may have."""


def read_tlv(rule: Tlv, frame: bytes) -> dict[int, bytes]:
    """Return the values by tag; of a tag that comes twice, the first.

    Raises:
        ShortPayloadError: the part ends inside a value, or holds too many.
    """
    begin, end, _ = slice(rule.at, rule.to or len(frame)).indices(len(frame))
    order = "little" if rule.little else "big"
    found: dict[int, bytes] = {}
    at = begin
    for _ in range(TAGS_MAX):
        if at == end:
            return found
        value_at = at + rule.tag_size + rule.length_size
        length = int.from_bytes(frame[at + rule.tag_size : value_at], order)  # type: ignore[arg-type]  # one of two words
        if value_at > end or value_at + length > end:
            raise ShortPayloadError("the values by tags end inside one of them")
        found.setdefault(int.from_bytes(frame[at : at + rule.tag_size], order), frame[value_at : value_at + length])  # type: ignore[arg-type]
        at = value_at + length
    raise ShortPayloadError(f"there are more than {TAGS_MAX} values by tags")


def write_tlv(rule: Tlv, values: Iterable[tuple[int, bytes]]) -> bytes:
    """Return the part of a frame that holds these values."""
    order = "little" if rule.little else "big"
    return b"".join(
        tag.to_bytes(rule.tag_size, order) + len(value).to_bytes(rule.length_size, order) + value  # type: ignore[arg-type]
        for tag, value in values
    )
