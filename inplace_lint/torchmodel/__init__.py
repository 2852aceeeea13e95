"""What PyTorch does: the op table (data derived from torch), its overlay, and modules. `torchmodel.table` answers."""

from __future__ import annotations

from inplace_lint.torchmodel.facts import WEIGHT, Const, Facts, Param, Ret, Save

__all__ = ["WEIGHT", "Const", "Facts", "Param", "Ret", "Save"]
