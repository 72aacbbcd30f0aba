"""How large a wager may be, measured by the other wagers of the seat.

Amounts are cents. A wager whose amount nobody told is None; then nothing that is measured by it is checked.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from controller.dealing.rules import Rule

Wagers = Mapping[str, int | None]


def money(cents: int) -> str:
    """Cents as decimal text: "-10", "20.75"."""
    whole, rest = divmod(abs(cents), 100)
    return f"{'-' if cents < 0 else ''}{whole}" + (f".{rest:02}" if rest else "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Size:
    """One of `percent` of the wagers named in `of` together, or any amount `between` two percentages of them.

    `between=(0, 50)` is any amount up to half of them. `fixed` cents are the measure of a wager that others do not measure.
    """

    of: tuple[str, ...] = ()
    fixed: int = 0
    percent: tuple[int, ...] = (100,)
    between: tuple[int, int] | None = None
    usual: int | None = None
    """Percent that is meant when nobody says how much; None: of several amounts one must be said."""

    most: int | None = None
    """Cents that the wager never passes, whatever the others are."""
    rule: Rule | None = None
    """What the size rests on; None: on what the wager itself rests on."""

    def base(self, wagers: Wagers) -> int | None:
        """The cents that the size is measured by; None when one of them is not told, or none is placed."""
        if self.fixed:
            return self.fixed
        total, placed = 0, False
        for name in self.of:
            if name in wagers:
                amount = wagers[name]
                if amount is None:
                    return None
                total, placed = total + amount, True
        return total if placed else None

    def choices(self, wagers: Wagers) -> tuple[int, ...]:
        """The amounts that are allowed; empty where a range is, or where the base is not known."""
        base = self.base(wagers)
        if base is None or self.between is not None:
            return ()
        return tuple(base * percent // 100 for percent in self.percent)

    def usual_amount(self, wagers: Wagers) -> int | None:
        """What is placed when nobody says how much; None when it must be said, or the base is not known."""
        base = self.base(wagers)
        if base is not None and self.between is None and len(self.percent) == 1:
            return base * self.percent[0] // 100
        return None if base is None or self.usual is None else base * self.usual // 100

    def flaw(self, amount: int, wagers: Wagers) -> str:
        """What the amount must be instead, in words; empty when it is right or cannot be checked."""
        base = self.base(wagers)
        if base is None:
            return ""
        if self.between is None:
            allowed = self.choices(wagers)
            return "" if amount in allowed else " or ".join(map(money, allowed))
        low, high = self.limits(base)
        return "" if amount > 0 and low <= amount <= high else f"{money(max(low, 1))} to {money(high)}"

    def limits(self, base: int) -> tuple[int, int]:
        """Least and most cents where the base is so much and a range is allowed."""
        low, high = (base * percent // 100 for percent in self.between or (0, 0))
        return low, high if self.most is None else min(high, self.most)

    @property
    def words(self) -> str:
        """The size as a dealer reads it: "1 or 2 times the ante", "up to 0.5 times the wager"."""
        if self.fixed:
            return f"exactly {' or '.join(money(amount) for amount in self.choices({}))}"
        of = " and ".join(name.replace("_", " ") for name in self.of)
        if self.between is None:
            return f"equal to the {of}" if self.percent == (100,) else f"{' or '.join(map(_times, self.percent))} times the {of}"
        low, high = self.between
        most = "" if self.most is None else f", at most {money(self.most)}"
        if low == 0:
            return f"up to the {of}{most}" if high == 100 else f"up to {_times(high)} times the {of}{most}"
        return f"{_times(low)} to {_times(high)} times the {of}"


def _times(percent: int) -> str:
    return f"{percent / 100:g}"
