"""What a plain profile promises, held against what stands behind it: an ability without a message that shows it is a word.

The enforcement sheet, which a supervisor confirms, rests on these words. So each is one that the daemon knows, and a profile that
promises what none of its messages can tell is refused. Whether the device keeps the promise is not known here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

import msgspec

from device_profiles.errors import InvalidProfileError
from device_profiles.loader import nearest_of
from device_profiles.plain.messages import Means
from device_profiles.plain.profile import PlainProfile
from firmware_bridge import commands
from firmware_bridge.plain.abilities import BOTH_WAYS, commands_of, notices_gaps
from firmware_bridge.plain.mapping import CARD_EVENTS

CARRIED: Final[dict[str, type[msgspec.Struct]]] = {
    kind.__name__: kind
    for kind in vars(commands).values()
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct) and kind.__module__ == commands.__name__ and kind is not commands.Request
}
"""The canonical commands that a message may carry."""


class _Proof(NamedTuple):
    needs: str
    """What has to be in the profile, as the end of a sentence."""
    holds: Callable[[PlainProfile], bool]


def _means(profile: PlainProfile) -> Iterator[Means]:
    for message in profile.messages:
        entries = (*(message.ring.entries if message.ring else ()), *(message.group.entries if message.group else ()))
        yield from (means for means in (message.means, *(entry.means for entry in entries)) if means is not None)


def _event(*names: str) -> _Proof:
    needs = f"no message means {' or '.join(names)}"
    return _Proof(needs, lambda profile: any(means.event in names for means in _means(profile)))


def _flag(flag: str) -> _Proof:
    return _Proof(f"no message has the card flag `{flag}`", lambda profile: any(flag in means.flags for means in _means(profile)))


_READS: Final = _Proof(
    "no message tells a card", lambda profile: any(means.event in CARD_EVENTS and means.card for means in _means(profile))
)
ABILITIES: Final[dict[str, _Proof]] = {
    "cards": _READS,
    "read-cards": _READS,
    "places": _READS,
    "gate": _Proof("its messages do not carry both Lock and Unlock", lambda profile: commands_of(profile, may_write=True) >= BOTH_WAYS),
    "errors": _event("ErrorRaised"),
    "numbers": _Proof("neither `numbers` nor a ring numbers what it says", notices_gaps),
    "acknowledges": _Proof("no message has a `reply_with`", lambda profile: any(m.reply_with is not None for m in profile.messages)),
    "cut-card": _event("CutCardSeen"),
    "rounds": _event("RoundTold"),
    "shuffles": _Proof("", lambda _profile: True),
    "shuffle": _event("ShuffleDone"),
    "deck-count": _event("ShuffleDone", "ShoeLoaded"),
    "dispense": _event("StackDispensed"),
    "stub-count": _event("StubCounted"),
    "double-feed-detection": _flag("double-feed"),
    "face-detection": _flag("face-up"),
    "lid": _event("Lid"),
}
"""The words of `can`, each with what stands behind it; `shuffles` only says what kind of device it is."""


def verify_promises(profile: PlainProfile, file: str) -> None:
    """Check the abilities of a profile and the commands that its messages carry.

    Raises:
        InvalidProfileError: a word means nothing, or nothing stands behind it.
    """
    for word in profile.can:
        proof = ABILITIES.get(word)
        if proof is None:
            raise InvalidProfileError(file, f"can: '{word}' is no ability that the daemon knows; {_nearest(word, list(ABILITIES))}")
        if not proof.holds(profile):
            raise InvalidProfileError(file, f"can: it promises '{word}', and {proof.needs}")
    for message in profile.messages:
        if message.carries is None:
            continue
        where = f"message '{message.name}'"
        kind = CARRIED.get(message.carries)
        if kind is None:
            raise InvalidProfileError(
                file, f"{where}: carries: there is no command '{message.carries[:40]}'; {_nearest(message.carries, list(CARRIED))}"
            )
        for attribute in message.carries_map.values():
            if attribute not in kind.__struct_fields__:
                raise InvalidProfileError(
                    file,
                    f"{where}: carries_map: {message.carries} has no '{attribute}'; it has {', '.join(kind.__struct_fields__) or 'none'}",
                )


def _nearest(word: str, known: list[str]) -> str:
    nearest = nearest_of(word, known)
    return f"did you mean '{nearest}'?" if nearest is not None else f"there are {', '.join(known)}"
