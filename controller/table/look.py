"""One look at a table: what every question about it asks first, found once.

The prompt, the acts that may come next and the answer to an act all ask in which step the table is, of what kind its state is and whether a
card is expected. Whoever answers several such questions looks once and hands the look on.
"""

from __future__ import annotations

import msgspec

from controller.dealing.procedure import Procedure
from controller.dealing.round import Round
from controller.dealing.steps import StateKind, Step
from controller.table.state import TableState

GATED = frozenset({StateKind.DEALING, StateKind.DRAWING})
"""States in which a card or a stack may be expected."""


class Look(msgspec.Struct, frozen=True, eq=False, gc=False):
    """See the module's text. `gate_open` is True exactly while a card or a stack is expected."""

    procedure: Procedure
    state: TableState
    kind: StateKind
    step: Step | None
    round: Round | None
    gate_open: bool


def look_at(procedure: Procedure, state: TableState) -> Look:
    """Look at a table as it stands."""
    round_, phase = state.round, state.phase
    kind = procedure.kind_at(phase, round_)
    gate_open = round_ is not None and kind in GATED and round_.cards_due and not state.holding
    return Look(procedure, state, kind, procedure.by_name.get(phase), round_, gate_open)
