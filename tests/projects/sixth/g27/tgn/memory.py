import torch
import torch.nn as nn


class NodeMemory(nn.Module):
    def __init__(self, n, dim, msg_dim):
        super().__init__()
        self.register_buffer("mem", torch.zeros(n, dim))
        self.register_buffer("last", torch.zeros(n))
        self.cell = nn.GRUCell(msg_dim, dim)
        self.pending = None

    def read(self, nodes):
        """current state of `nodes`, with pending messages applied (in-graph)"""
        rows = self.mem[nodes]
        if self.pending is None:
            return rows
        pn, pm = self.pending
        new = self.cell(pm, self.mem[pn])
        slot = torch.full((self.mem.size(0),), -1, dtype=torch.long)
        slot[pn] = torch.arange(pn.numel())
        hit = slot[nodes]
        touched = hit >= 0
        rows = rows.clone()
        rows[touched] = new[hit[touched]]
        return rows

    @torch.no_grad()
    def commit(self):
        if self.pending is not None:
            pn, pm = self.pending
            self.mem[pn] = self.cell(pm, self.mem[pn])
        self.pending = None

    def store(self, nodes, msgs, t):
        uniq = nodes.unique()
        agg = torch.zeros(uniq.numel(), msgs.size(1))
        pos = torch.searchsorted(uniq, nodes)
        agg.index_add_(0, pos, msgs.detach())
        cnt = torch.zeros(uniq.numel()).index_add_(0, pos, torch.ones(nodes.numel()))
        agg /= cnt.unsqueeze(1)
        self.pending = (uniq, agg)
        self.last[nodes] = t

    def reset(self):
        self.mem.zero_()
        self.last.zero_()
        self.pending = None
