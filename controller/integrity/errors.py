"""The root class of the errors of `controller.integrity`."""

from __future__ import annotations


class IntegrityError(Exception):
    """Root of this package's errors: a caller asked for something that no set of cards can do."""
