import torch
import torch.nn as nn
import torch.nn.functional as F

from tgn.memory import NodeMemory
from tgn.model import LinkDecoder, TimeEncode

torch.manual_seed(27)
torch.set_num_threads(1)
N, D, TD, FD = 30, 8, 4, 3
memory = NodeMemory(N, D, 2 * D + TD + FD)
enc, dec = TimeEncode(TD), LinkDecoder(D + TD)
params = [p for m in (memory, enc, dec) for p in m.parameters()]
opt = torch.optim.Adam(params, lr=1e-2)

events = 120
src = torch.randint(0, 15, (events,))
dst = 15 + (src + torch.randint(0, 3, (events,))) % 15
ts = torch.rand(events).cumsum(0)
feat = torch.randn(events, FD)

for epoch in range(2):
    memory.reset()
    total = 0.0
    for ix in torch.arange(events).split(20):
        s, d, t = src[ix], dst[ix], ts[ix]
        neg = torch.randint(15, N, (len(ix),))
        last = memory.last.clone()

        def embed(nodes):
            return torch.cat([memory.read(nodes), enc(t - last[nodes])], 1)

        zs, zd, zn = embed(s), embed(d), embed(neg)
        pos, negs = dec(zs, zd), dec(zs, zn)
        loss = F.binary_cross_entropy_with_logits(pos, torch.ones_like(pos))
        loss += F.binary_cross_entropy_with_logits(negs, torch.zeros_like(negs))
        opt.zero_grad()
        loss.backward()
        opt.step()
        with torch.no_grad():
            memory.commit()
            te = enc(t - last[s])
            m1 = torch.cat([memory.mem[s], memory.mem[d], te, feat[ix]], 1)
            m2 = torch.cat([memory.mem[d], memory.mem[s], te, feat[ix]], 1)
            memory.store(torch.cat([s, d]), torch.cat([m1, m2]), t.max())
        total += loss.item()
    print(epoch, round(total, 4))
