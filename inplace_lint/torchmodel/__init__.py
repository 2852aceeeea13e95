"""Models PyTorch: the op table derived from torch, its hand-written overlay, and the modules of `torch.nn`.

`torchmodel.table` is the entry point for look-ups.
"""

from __future__ import annotations

from inplace_lint.torchmodel.facts import WEIGHT, Const, Facts, Param, Ret, Save

__all__ = ["WEIGHT", "Const", "Facts", "Param", "Ret", "Save"]
