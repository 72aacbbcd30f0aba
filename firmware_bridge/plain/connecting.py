"""The connection of a plain device at work: in which state it stands, and where what is heard, or silence, leads it. Pure.

It says nothing and hears nothing itself: its owner says what the state says, and tells it what came. Everything is bounded: a run enters at
most `steps_max` states, and each of them has a time limit or is left at once.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from device_profiles.plain.connecting import CONNECTED, FAILED
from device_profiles.plain.profile import Connect, ConnectState
from device_profiles.schema import About
from firmware_bridge.plain.fields import fits
from firmware_bridge.plain.heard import PlainHeard
from firmware_bridge.reports import DeviceIdentity

NO_STATES: Final[Mapping[str, ConnectState]] = {}
TOO_LONG: Final = "the connection goes round in circles"


class Connecting:
    """One connection after another, by the rule of a profile. `is_silent`: nothing may be said, so it is there at once."""

    __slots__ = ("_name", "_rule", "_states", "_steps", "due_s", "told", "why")

    def __init__(self, rule: Connect, states: Mapping[str, ConnectState], *, is_silent: bool) -> None:
        """`states` by name, the first one first; all connections of a profile share them."""
        self._rule = rule
        self._states = NO_STATES if is_silent else states
        self._name = CONNECTED
        self._steps = 0
        self.due_s: float | None = None
        """When a state that waits without a question is over."""
        self.told: dict[str, str] = {}
        """What the device has said of itself."""
        self.why = ""
        """Why it has failed."""

    @property
    def is_connected(self) -> bool:
        return self._name == CONNECTED

    @property
    def state(self) -> ConnectState | None:
        """Where it stands; None at its end."""
        return self._states.get(self._name)

    def begin(self) -> None:
        """The line is up."""
        self._steps, self.told, self.why = 0, {}, ""
        self._enter(next(iter(self._states), CONNECTED))

    def end(self) -> None:
        """The line is down: nothing is waited for any more."""
        self._name, self.due_s = FAILED, None

    def wait(self, now_s: float) -> bool:
        """Whether the state waits for something without a question; if so, the time runs from now."""
        state = self.state
        within_s = state.within_s if state is not None else None
        self.due_s = None if within_s is None else now_s + within_s
        return within_s is not None

    def hear(self, heard: PlainHeard) -> bool:
        """Take what was heard; True when it leads on to another state."""
        state = self.state
        if state is None:
            return False
        branch = next((b for b in state.on if b.message == heard.name and fits(b.where, heard.fields)), None)
        if branch is None:
            return False
        for word, field in self._rule.identity.items():
            if field in heard.fields:
                self.told[word] = str(heard.fields[field]).rstrip("\0 ")
        self.why = f"{heard.name} in state {state.name}" if branch.next == FAILED else ""
        self._enter(branch.next)
        return True

    def go_on(self) -> None:
        """The time of the state is over, or there is nothing to wait for."""
        state = self.state
        if state is None:
            return
        if state.otherwise == FAILED:
            self.why = f"no answer to {state.say}" if state.say is not None else f"nothing was heard in state {state.name}"
        self._enter(state.otherwise)

    def is_over(self, now_s: float) -> bool:
        """Whether a wait without a question has ended by now; if so, it goes on."""
        if self.due_s is None or now_s < self.due_s:
            return False
        self.go_on()
        return True

    def _enter(self, name: str) -> None:
        self.due_s = None
        self._name = name
        if name in self._states:
            self._steps += 1
            if self._steps > self._rule.steps_max:
                self._name, self.why = FAILED, TOO_LONG


def identity_of(about: About, told: Mapping[str, str]) -> DeviceIdentity:
    """Who the device is: what it told of itself, and what its profile says where it tells nothing."""
    return DeviceIdentity(
        vendor=told.get("vendor", about.vendor),
        model=told.get("model", about.title),
        serial=told.get("serial"),
        firmware=told.get("firmware"),
    )
