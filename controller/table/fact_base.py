"""The base of all facts of a table."""

from __future__ import annotations

import msgspec


class Fact(msgspec.Struct, frozen=True, kw_only=True, tag_field="fact", omit_defaults=True):
    """Base of all facts."""
