"""The base of all facts of a table."""

from __future__ import annotations

import msgspec


class Fact(msgspec.Struct, frozen=True, kw_only=True, tag_field="fact", omit_defaults=True, gc=False):
    """Base of all facts. They hold values alone and no cycles, so garbage collection need not look at them."""
