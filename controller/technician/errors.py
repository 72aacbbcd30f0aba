"""What stops a technician's command, told like every other error: a code, what happened, what to do."""

from __future__ import annotations

from controller.errors import NotInOrderError, ShoedError


class TechnicianError(ShoedError):
    """The command cannot be carried out as it was asked for."""


class DeviceNotInOrderError(NotInOrderError):
    """The device or its line was tried and is not as it must be."""
