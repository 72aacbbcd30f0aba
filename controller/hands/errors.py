"""The root class of the errors of `controller.hands`."""

from __future__ import annotations


class HandError(ValueError):
    """Root of this package's errors: cards that form no hand of the kind asked for."""
