"""What an act's sender is told: the answer in the words that scripts expect and the API returns.

An `Outcome` is public. It never holds a hidden card: `cards` names only what the procedure has shown.
"""

from __future__ import annotations

import msgspec

ResultsByWager = dict[str, str]


class Wanted(msgspec.Struct, frozen=True):
    """What the table wants of its devices now; the shell drives them there, again after every reconnect."""

    shoe: int | None = None
    """Number of the shoe that may be open at the device; None: none may."""
    decks: int = 1
    back: str | None = None
    unlock: int = 0
    """Cards that may leave singly before the gate locks again; 0: the gate is locked."""
    dispense: tuple[int, int, int] | None = None
    """(cards in the stack, destination 0-255, running number of the stack in this shoe): one stack to dispense."""


class Outcome(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """The answer to one act. Fields that do not apply are left at their default."""

    act: str
    state: str
    gate: str
    refused: str | None = None
    message: str = ""
    """One sentence of what happened, and what to do when something is wrong."""
    to: str | None = None
    face: str | None = None
    card: str | None = None
    """The card in scenario notation when it is shown, else None."""
    place: str | None = None
    """Whose act it is, such as `seat 2`."""
    choice: str | None = None
    """What was chosen: the word of `choose`, or the wagers placed."""
    cards: tuple[str, ...] = ()
    """Cards turned face up by this act, in scenario notation."""
    irregularity: str | None = None
    remedy: str | None = None
    rule: str | None = None
    standing: str | None = None
    alarm: str | None = None
    """The alarm that this act raised."""
    alarms: tuple[str, ...] = ()
    """All alarms that are open after this act."""
    next: tuple[str, ...] = ()
    prompt: str = ""
    """What to do now, in one sentence made from the step that is enforced."""
    turn: str | None = None
    """The hand whose player decides now: `seat 3` or `seat 3 hand 2`."""
    choices: tuple[str, ...] = ()
    """The words that this hand may choose now."""
    stub_expected: int | None = None
    """Cards that must be left when the last card of the round was dealt."""
    results: dict[str, str | ResultsByWager] = {}
    pays: dict[str, str | dict[str, str]] = {}
    """Net amounts as decimal text ("-10", "20.75")."""
    hands: dict[str, str] = {}
    """Names of hands whose result is visible."""
    house_way: dict[str, tuple[str, ...]] | None = None
    rack: int | None = None
    evidence: str | None = None
    round: int = 0
    beside: bool = False
    """In shadow mode: another host deals; this table only judges."""
    partial: bool = False
    """The shoe was taken up in the middle: what left it before is not known."""
    phase: str = ""
    """The step's own name, such as `deal 2`."""
