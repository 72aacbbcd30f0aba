"""What every act of a mechanism is: something that takes time, moves cards and ends with one `command_done`."""

from __future__ import annotations

import dataclasses
from typing import ClassVar, Generic, TypeVar

from hil.mechanism.cards import PhysicalCard
from hil.mechanism.options import ScriptedCard

M = TypeVar("M")
"""The machine that steps the act; named by the acts themselves, so that this file knows no machine."""


@dataclasses.dataclass(slots=True)
class Act(Generic[M]):
    """One act. The machine steps it when `due_s` comes; `due_s` None waits for the script."""

    name: ClassVar[str]
    act_id: int | None
    """The host's number for it; None when somebody pressed the device's own button."""
    due_s: float | None
    moved: int = dataclasses.field(default=0, kw_only=True)

    def begin(self, machine: M, now_s: float) -> None:
        """The machine has taken the act: tell what is told at its start."""

    def step(self, machine: M, now_s: float) -> None:
        """Do what is due; end by `machine.end_act`."""
        raise NotImplementedError

    def take_drawn(self, machine: M, card: PhysicalCard, script: ScriptedCard, now_s: float) -> bool:
        """Take a card that the script brought, if this act waits for one; False leaves it to the gate."""
        return False

    def break_off(self, machine: M, now_s: float) -> None:
        """The act cannot go on: tell what is told at such an end, before `command_done`."""
