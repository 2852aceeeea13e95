"""Peak memory of a training step or a forward: on the CPU, on a GPU, and predicted for one that is not there."""

from __future__ import annotations

from .account import KINDS, Peak
from .ledger import Ledger
from .lines import Line, Lines
from .step import Step, run

__all__ = ["KINDS", "Ledger", "Line", "Lines", "Peak", "Step", "run"]
