# Terrain patch WGAN with Lipschitz critic.
import torch, math
import torch.nn as nn
import torch.nn.functional as F
from contextlib import contextmanager


class LipschitzLinear(nn.Module):
    def __init__(self, i, o, iters=1):
        super().__init__()
        self.W = nn.Parameter(torch.randn(o, i) / math.sqrt(i))
        self.b = nn.Parameter(torch.zeros(o))
        self.register_buffer("left", F.normalize(torch.randn(o), dim=0))
        self.register_buffer("right", F.normalize(torch.randn(i), dim=0))
        self.iters = iters
        self.frozen = False

    @torch.no_grad()
    def power_iteration(self):
        for _ in range(self.iters):
            self.right = F.normalize(self.W.T.mv(self.left), dim=0)
            F.normalize(self.W.mv(self.right), dim=0, out=self.left)  # BUG

    def forward(self, x):
        if self.training and not self.frozen:
            self.power_iteration()
        sigma = self.left.dot(self.W.mv(self.right))
        return F.linear(x, self.W / sigma.clamp(min=1e-3), self.b)


class GroupSort(nn.Module):
    def forward(self, x):
        a, b = x.chunk(2, -1)
        return torch.cat([torch.maximum(a, b), torch.minimum(a, b)], -1)


def critic(n_in, width, depth):
    seq = []
    for k in range(depth):
        seq.append(LipschitzLinear(n_in if k == 0 else width, width))
        seq.append(GroupSort())
    seq.append(LipschitzLinear(width, 1))
    return nn.Sequential(*seq)


@contextmanager
def frozen(net):
    layers = [m for m in net.modules() if isinstance(m, LipschitzLinear)]
    for m in layers:
        m.frozen = True
    try:
        yield net
    finally:
        for m in layers:
            m.frozen = False


class Heights(nn.Module):
    def __init__(self, z, side):
        super().__init__()
        self.z, self.side = z, side
        self.f = nn.Sequential(nn.Linear(z, 32), nn.SELU(inplace=True), nn.Linear(32, side * side))

    def forward(self, n):
        h = self.f(torch.randn(n, self.z))
        h -= h.mean(1, keepdim=True)
        return h


def wgan(gen, crit, reals, n_crit=2, lr=1e-3):
    og = torch.optim.RMSprop(gen.parameters(), lr)
    oc = torch.optim.RMSprop(crit.parameters(), lr)
    for k, real in enumerate(reals):
        with torch.no_grad():
            fake = gen(len(real))
        w = crit(real).mean() - crit(fake).mean()
        oc.zero_grad()
        (-w).backward()
        oc.step()
        if k % n_crit == 0:
            with frozen(crit):
                lg = -crit(gen(len(real))).mean()
            og.zero_grad()
            lg.backward()
            og.step()
        yield w.item()


# --- driver ---
torch.manual_seed(21)
patches = [torch.randn(8, 36).cumsum(1).mul_(0.1) for _ in range(4)]
for w in wgan(Heights(5, 6), critic(36, 16, 2), patches):
    print(w)
