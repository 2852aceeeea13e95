import torch
import torch.nn as nn
import torch.nn.functional as F


class MemoryBank(nn.Module):
    def __init__(self, n, d, momentum=0.5):
        super().__init__()
        self.momentum = momentum
        self.register_buffer("memory", F.normalize(torch.randn(n, d), dim=1))

    def logits(self, f, idx, k, T):
        rand = torch.randint(0, self.memory.size(0), (f.size(0), k))
        rand[:, 0] = idx
        w = self.memory.index_select(0, rand.view(-1)).view(f.size(0), k, -1)
        return torch.bmm(w, f.unsqueeze(2)).squeeze(2).div_(T)

    @torch.no_grad()
    def update(self, f, idx):
        m = self.memory.index_select(0, idx)
        m.mul_(self.momentum).add_(f, alpha=1 - self.momentum)
        m.div_(m.norm(dim=1, keepdim=True))
        self.memory.index_copy_(0, idx, m)
