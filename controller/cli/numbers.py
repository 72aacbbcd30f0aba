"""Numbers on the command line: `nan` is a number to Python, within every range, and no number to anybody else."""

from __future__ import annotations

import math

import click


class FiniteRange(click.FloatRange):
    """A number within bounds."""

    def convert(self, value: float, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Return the number, or tell that it is none or out of range."""
        number: float = super().convert(value, param, ctx)
        if not math.isfinite(number):
            self.fail(f"{number} is not in the range {self._describe_range()}.", param, ctx)
        return number
