"""Makes torch import at start what a dispatch mode needs: that takes seconds, and must not be cut short in a run."""

from __future__ import annotations

import torch

from .writes import WriteMode

# No backward here: autograd does not work in forks of a process that has run one.
with WriteMode(lambda *_: None):
    torch.zeros(1).add_(1)
