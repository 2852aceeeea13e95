import torch
import torch.nn as nn
import torch.nn.functional as F


class MemoryBank(nn.Module):
    """Non-parametric instance discrimination memory (Wu et al. 2018).

    Updates are delayed by one iteration so a sample never sees its own fresh key.
    """

    def __init__(self, n_data, dim, T=0.1, momentum=0.5):
        super().__init__()
        self.T, self.momentum = T, momentum
        self.register_buffer('memory', F.normalize(torch.randn(n_data, dim), dim=1))
        self._pending = []

    @torch.no_grad()
    def _flush(self):
        while self._pending:
            idx, feat = self._pending.pop()
            old = self.memory.index_select(0, idx)
            old.mul_(self.momentum).add_(feat, alpha=1 - self.momentum)
            old /= old.norm(dim=1, keepdim=True)
            self.memory.index_copy_(0, idx, old)  # BUG

    def queue_update(self, idx, feat):
        self._pending.append((idx, feat.detach().clone()))

    def forward(self, feat, idx):
        logits = feat @ self.memory.t()
        logits /= self.T
        self._flush()
        return logits
