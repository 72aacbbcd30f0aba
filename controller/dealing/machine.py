"""Compiles the steps of a procedure into one `transitions` machine.

States are the table's own (`closed`, `unverified`, `ready`, `complete`, `void`, `suspended`, `quarantined`) and one per step.
Triggers are few:

- `open`, `close`, `verify` (a good shuffle), `unverify`, `quarantine`, `begin` (first wager), `advance` (a step is done), `void`,
  `suspend`, `resume`.
- `shake` leads back to the start, from the step that follows it: the roll did not count.
- `draw` and `drawn` lead from the players' turns to the card that a hand asked for, and back.
- `advance` goes to the first later step that applies to the round, else to `complete`.
- `resume` goes back to the very step that was suspended.

One machine serves all tables of a procedure. It holds no table's state: `Phases.after` asks its table of transitions where a trigger leads,
and asks the very conditions that firing the machine would ask; tests fire it and compare. Conditions only answer questions; nothing here
does I/O, keeps time or fires a second trigger.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import Enum
from typing import TYPE_CHECKING

from transitions import EventData, Machine, State, Transition

from controller.dealing.steps import Start, StateKind, Step
from controller.dealing.turn_steps import HandCard

if TYPE_CHECKING:
    from controller.dealing.round import Round

FIXED = (
    StateKind.CLOSED, StateKind.UNVERIFIED, StateKind.READY, StateKind.COMPLETE, StateKind.VOID, StateKind.SUSPENDED, StateKind.QUARANTINED,
)  # fmt: skip


class Model:
    """What a trigger is fired on: the phase, the round that conditions look at, and the phase to resume."""

    __slots__ = ("resume_to", "round", "state")

    def __init__(self) -> None:
        self.state: str = StateKind.CLOSED.value
        self.round: Round | None = None
        self.resume_to: str | None = None


def _model(event: EventData) -> Model:
    model: object = event.model
    if not isinstance(model, Model):
        raise TypeError("the machine was fired on something that is no Model")
    return model


class _Question:
    """A named condition for a transition; an object, so that `transitions` calls it instead of looking a name up."""

    def __init__(self, step: Step | None, name: str) -> None:
        self._when, self.__name__ = step.when if step is not None else None, name

    def __call__(self, event: EventData) -> bool:
        model = _model(event)
        return self.holds(model.round, model.resume_to)

    def holds(self, round_: Round | None, resume_to: str | None) -> bool:
        """The answer for a round, or for a table that was suspended in a phase."""
        raise NotImplementedError

    @property
    def always(self) -> bool:
        """True when the answer is yes whatever the round is."""
        return False


class Applies(_Question):
    """Does the step apply to this round?"""

    @property
    def always(self) -> bool:
        """Most steps apply to every round."""
        return self._when is None

    def holds(self, round_: Round | None, resume_to: str | None) -> bool:
        return self._when is None or (round_ is not None and self._when(round_))


class WasSuspendedIn(_Question):
    """Was the table suspended in the phase of this name?"""

    def holds(self, round_: Round | None, resume_to: str | None) -> bool:
        return resume_to == self.__name__


def compile_machine(names: Sequence[str], steps: Sequence[Step], *, shuffle_each_round: bool) -> Machine:
    """Return the machine of the steps; `names` are the step states in order, the first one takes the wagers."""
    states: list[str | Enum | State] = [*(state.value for state in FIXED), *names]
    machine = Machine(
        model=None, states=states, initial=StateKind.CLOSED.value,
        auto_transitions=False, send_event=True,
    )  # fmt: skip
    in_round = list(names)
    add = machine.add_transition
    between = [StateKind.UNVERIFIED.value, StateKind.READY.value, StateKind.COMPLETE.value]
    add("open", "closed", "unverified")
    add("close", [*between, "quarantined"], "closed")
    add("verify", ["unverified", "ready", "complete", "void"], "ready")
    add("unverify", [*between, "void", "quarantined"], "unverified")
    add("quarantine", [*between, "void", "suspended", *in_round], "quarantined")
    add("begin", ["ready"] if shuffle_each_round else ["ready", "complete"], names[0])
    for index, name in enumerate(names):
        if isinstance(steps[index], HandCard):
            add("draw", names[index - 1], name)
            add("drawn", name, names[index - 1])
            continue
        if isinstance(steps[index], Start):
            add("shake", names[index + 1], name)
        for later in range(index + 1, len(names)):
            if not isinstance(steps[later], HandCard):
                add("advance", name, names[later], conditions=Applies(steps[later], names[later]))
        add("advance", name, "complete")
    add("void", ["suspended", *in_round], "void")
    suspendable: list[str | Enum | State] = ["unverified", "ready", "complete", "void", *in_round]
    add("suspend", suspendable, "suspended")
    for phase in suspendable:
        add("resume", "suspended", phase, conditions=WasSuspendedIn(None, str(phase)))
    return machine


class Phases:
    """Asks the machine where a trigger leads. Its transitions are read once: firing it for every step costs three times as much."""

    __slots__ = ("_machine", "_routes")

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self._routes = {
            (source, trigger): tuple((transition.dest, _question(transition)) for transition in transitions)
            for trigger, event in machine.events.items()
            for source, transitions in event.transitions.items()
        }

    @property
    def machine(self) -> Machine:
        """The compiled machine, for diagrams and for tests that walk it."""
        return self._machine

    def after(self, phase: str, trigger: str, round_: Round | None = None, resume_to: str | None = None) -> str | None:
        """The phase that `trigger` leads to from `phase`, or None when the machine has no such transition."""
        for to, holds in self._routes.get((phase, trigger), ()):
            if holds is None or holds(round_, resume_to):
                return to
        return None


def _question(transition: Transition) -> Callable[[Round | None, str | None], bool] | None:
    """What asks the condition of a transition, None where it cannot fail; there are no others than those that this module adds."""
    asked = [condition.func for condition in transition.conditions]
    if not asked:
        return None
    if len(asked) > 1 or not isinstance(asked[0], _Question):
        raise TypeError("the machine has a condition that is no question about a round")
    return None if asked[0].always else asked[0].holds
