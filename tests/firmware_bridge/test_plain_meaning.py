"""What a plain message means for the table: flags belong to a card that was to be read, and only there."""

from __future__ import annotations

import msgspec
import pytest

from device_profiles.plain.messages import Means
from firmware_bridge.cards import parse_card
from firmware_bridge.events import CardFlag, CardRead, StackDispensed
from firmware_bridge.plain.mapping import meaning_of


def means(**told: object) -> Means:
    return msgspec.convert(told, Means)


@pytest.mark.requirement("EQ-34")
def test_a_card_that_was_not_read_is_flagged_and_a_stack_has_none_to_read() -> None:
    stack = meaning_of("message 'stack'", [], means(event="StackDispensed", flags=["double-feed"]), "x.toml").make({}, None, 5, 0)
    assert isinstance(stack, StackDispensed)
    assert stack.flags is CardFlag.DOUBLE_FEED
    card = meaning_of("message 'card'", [], means(event="CardRead"), "x.toml").make
    unread, read = card({}, None, 5, 1), card({}, parse_card("As").sealed, 5, 1)
    assert isinstance(unread, CardRead)
    assert isinstance(read, CardRead)
    assert (unread.flags, read.flags) == (CardFlag.UNREADABLE, CardFlag.NONE)
