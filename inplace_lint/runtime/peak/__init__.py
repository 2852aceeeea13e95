"""Peak memory of a training step or a forward: counted on the CPU, measured on a GPU, or predicted for a GPU."""

from __future__ import annotations

from .account import KINDS, Peak
from .ledger import Ledger
from .lines import Line, Lines
from .step import Step, run

__all__ = ["KINDS", "Ledger", "Line", "Lines", "Peak", "Step", "run"]
