"""Makes torch import what a run under a mode needs, before any run: it takes seconds, and must not be cut short."""

from __future__ import annotations

import torch

from .writes import WriteMode

# No backward: in a process that has run one, forks may not.
with WriteMode(lambda *_: None):
    torch.zeros(1).add_(1)
