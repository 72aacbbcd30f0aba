"""What every act of a mechanism is: something that takes time, moves cards and ends with one `command_done`."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, ClassVar

from hil.mechanism.cards import PhysicalCard
from hil.mechanism.options import ScriptedCard

if TYPE_CHECKING:
    from hil.mechanism.machine import Mechanism


@dataclasses.dataclass(slots=True)
class Act:
    """One act. The machine steps it when `due_s` comes; `due_s` None waits for the script."""

    name: ClassVar[str]
    act_id: int | None
    """The host's number for it; None when somebody pressed the device's own button."""
    due_s: float | None
    moved: int = dataclasses.field(default=0, kw_only=True)

    def begin(self, machine: Mechanism, now_s: float) -> None:
        """The machine has taken the act: tell what is told at its start."""

    def step(self, machine: Mechanism, now_s: float) -> None:
        """Do what is due; end by `machine.end_act`."""
        raise NotImplementedError

    def take_drawn(self, machine: Mechanism, card: PhysicalCard, script: ScriptedCard, now_s: float) -> bool:
        """Take a card that the script brought, if this act waits for one; False leaves it to the gate."""
        return False

    def break_off(self, machine: Mechanism, now_s: float) -> None:
        """The act cannot go on: tell what is told at such an end, before `command_done`."""
