"""What a device tells of itself without its mechanism's help: IDENTIFY and the session's own share of STATUS."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from device_profiles.schema import Profile
from device_profiles.values import FieldValue
from firmware_bridge.link.faults import LinkCounters
from firmware_bridge.session.mechanism import DeviceSettings, EventJournal

_COUNTER_MASK: Final = 0xFFFF  # 1.6: the link counters of STATUS wrap


def identity_of(settings: DeviceSettings, profile: Profile) -> dict[str, FieldValue]:
    """Return the fields of IDENTIFY; the capability bits are those of the listed functions (1.6: bit f-1)."""
    identity = dict(settings.identity)
    if "capability_bits" not in identity:
        numbers = profile.enums["function"].values
        present = {numbers[str(capability["function"])] for capability in settings.capabilities}
        identity["capability_bits"] = sum(1 << (number - 1) for number in present)
    return identity


def status_of(mechanism: Mapping[str, FieldValue], journal: EventJournal, counters: LinkCounters) -> dict[str, FieldValue]:
    """Return the fields of STATUS: the mechanism's, the journal's ends and the link's counters."""
    return {
        **mechanism,
        "last_eseq": journal.newest,
        "oldest_eseq": journal.oldest,
        "cobs_errors": counters.cobs & _COUNTER_MASK,
        "crc_errors": counters.crc & _COUNTER_MASK,
        "oversize_errors": counters.oversize & _COUNTER_MASK,
        "other_errors": counters.other & _COUNTER_MASK,
    }
