"""What the configuration says of captures: which lines are recorded, how much of each is kept, and where."""

from __future__ import annotations

from typing import Annotated

import msgspec

from controller.service.strict import needs


class CaptureConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The capture of one device's line: everything that goes over it, in pcapng files."""

    on: Annotated[
        bool, needs("true or false", "Captures from the daemon's start; a technician switches it while it runs (`shoed device capture`).")
    ] = False
    most_mb: Annotated[
        int,
        needs(
            "a number of megabytes from 1 to 100000", "How much is kept; the oldest is deleted. A busy day has some 50.", ge=1, le=100_000
        ),
    ] = 100
    most_hours: Annotated[
        float, needs("a number of hours from 0.1 to 8760", "How old the oldest may be when something new is written.", ge=0.1, le=8760)
    ] = 72.0


class CapturesConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Where captures of lines are kept."""

    directory: Annotated[
        str,
        needs(
            "a directory in quotes",
            "Each device has its own folder in it, `TABLE/DEVICE`. On an open line a capture tells cards: keep it as the journal.",
            min_length=1,
        ),
    ] = "captures"
