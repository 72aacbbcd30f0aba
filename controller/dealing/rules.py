"""A rule: what it rests on, and how well that is known.

Every step, setting and remedy carries a `Rule`. Its standing travels with it to every refusal, void, alarm and listing, so that nobody
takes an analogy, a memory or a house choice for law.
"""

from __future__ import annotations

from enum import StrEnum

import msgspec

CHAPTER = "13:69F-"


class Standing(StrEnum):
    """How a rule is known, best first."""

    LAW = "law"
    """Read in the text of N.J.A.C. 13:69F or 13:69E for this very game."""
    PARALLEL = "parallel"
    """Read in parallel law (Pennsylvania, Maryland) or in a casino's published sheet."""
    ANALOGY = "analogy"
    """Drawn from the section of a sister game in the same chapter."""
    INFERENCE = "inference"
    """Follows by arithmetic or reading from rules of a better standing."""
    MEMORY = "memory"
    """General knowledge of the trade; no text was read."""
    HOUSE = "house"
    """The text is not known or leaves a choice: a house setting with a default."""


class Rule(msgspec.Struct, frozen=True):
    """A citation with its standing. `citation` is what scenarios, the API and the journal show as `rule`."""

    citation: str
    standing: Standing
    note: str = ""

    def __str__(self) -> str:
        return self.citation if self.standing is Standing.LAW else f"{self.citation} ({self.standing})"


def law(section: str, note: str = "") -> Rule:
    """A rule read in N.J.A.C. 13:69F; `section` as `23.8(c)`."""
    return Rule(CHAPTER + section, Standing.LAW, note)


def law_69e(section: str, note: str = "") -> Rule:
    """A rule read in N.J.A.C. 13:69E (equipment)."""
    return Rule("13:69E-" + section, Standing.LAW, note)


def analogy(section: str, note: str = "") -> Rule:
    """A rule drawn from a sister game's section of the same chapter."""
    return Rule(CHAPTER + section, Standing.ANALOGY, note)


def parallel(citation: str, note: str = "") -> Rule:
    """A rule of parallel law, such as `PA 663a.9(d)`."""
    return Rule(citation, Standing.PARALLEL, note)


def inferred(section: str, note: str = "") -> Rule:
    """A rule that follows from a text that was read."""
    return Rule(CHAPTER + section, Standing.INFERENCE, note)


def memory(topic: str, note: str = "") -> Rule:
    """A rule known only as the trade's usual pattern."""
    return Rule(f"trade practice: {topic}", Standing.MEMORY, note)


def house(setting: str, note: str = "") -> Rule:
    """A choice of the house, held in the setting of that name."""
    return Rule(f"house setting: {setting}", Standing.HOUSE, note)
