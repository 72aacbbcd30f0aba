"""The scripted style: somebody outside says what comes, the mechanism plays it as if it had happened.

What a waiting act needs is given to it; what comes before the act is kept for it; what no act asked for happens by the
device's own button or by force. The cards are taken from the stack where it has them.
"""

from __future__ import annotations

from collections import deque

from firmware_bridge.events import ShuffleMode
from hil.mechanism.acts import DispenseAct, ShuffleAct, StubAct
from hil.mechanism.machine import Mechanism
from hil.mechanism.options import ScriptedShuffle, ScriptedStack

MOST_KEPT_STACKS = 64
"""Stacks supplied before they are asked for: more than one round has at any table."""


class ScriptError(ValueError):
    """The script asks for something that this mechanism cannot do now."""


class Script:
    """The script's side of one mechanism."""

    def __init__(self, machine: Mechanism) -> None:
        self._machine = machine
        self._stacks: deque[ScriptedStack] = deque()

    def supply_stack(self, stack: ScriptedStack, now_s: float) -> None:
        """Give the stack of a dispense that waits, or of the next one.

        Raises:
            ScriptError: too many stacks wait already.
        """
        if len(self._stacks) >= MOST_KEPT_STACKS:
            raise ScriptError(f"{MOST_KEPT_STACKS} stacks wait already and nobody asks for them")
        self._stacks.append(stack)
        self.feed_waiting_act(now_s)

    def dispense_now(self, stack: ScriptedStack, destination: int, now_s: float) -> None:
        """A stack comes out although nobody asked (`asked` is then what came)."""
        machine = self._machine
        if machine.act is not None:
            raise ScriptError(f"the mechanism is busy with {machine.act.name}")
        act = DispenseAct(None, None, stack.size(), destination, stack.size())
        machine.begin_act(act, now_s)
        act.supply(machine, stack, now_s)

    def feed_waiting_act(self, now_s: float) -> None:
        """Call it after a dispense was accepted: a stack may be there already."""
        act = self._machine.act
        if isinstance(act, DispenseAct) and act.due_s is None and self._stacks:
            act.supply(self._machine, self._stacks.popleft(), now_s)

    def finish_shuffle(self, found: ScriptedShuffle, mode: ShuffleMode, decks: int, now_s: float) -> None:
        """A cycle ends: the one that runs, or one that somebody started at the device."""
        self._running_shuffle(mode, decks, now_s).finish(self._machine, found, now_s)

    def abort_shuffle(self, mode: ShuffleMode, decks: int, now_s: float) -> None:
        """A cycle is stopped at the device."""
        self._running_shuffle(mode, decks, now_s).abort(self._machine, now_s)

    def finish_stub(self, counted: int, unreadable: int, now_s: float) -> None:
        """A stub was counted: by order, or at the device's own button."""
        act = self._machine.act
        if act is None:
            act = StubAct(None, None)
            self._machine.begin_act(act, now_s)
        if not isinstance(act, StubAct):
            raise ScriptError(f"the mechanism is busy with {act.name}")
        act.finish(self._machine, counted, unreadable, now_s)

    def _running_shuffle(self, mode: ShuffleMode, decks: int, now_s: float) -> ShuffleAct:
        act = self._machine.act
        if act is None:
            act = ShuffleAct(None, None, decks, mode)
            self._machine.begin_act(act, now_s)
        if not isinstance(act, ShuffleAct):
            raise ScriptError(f"the mechanism is busy with {act.name}")
        return act
