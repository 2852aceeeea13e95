from itertools import islice

import torch
from torch import autograd, nn, optim


class ResidualFC(nn.Module):
    def __init__(self, i, o):
        super().__init__()
        self.fc, self.bn = nn.Linear(i, o), nn.BatchNorm1d(o)

    def forward(self, x):
        h = self.bn(self.fc(x))
        h.relu_()
        return torch.cat([h, x], 1)


class Generator(nn.Module):
    def __init__(self, z, spans, width=12):
        super().__init__()
        self.spans = spans
        self.body = nn.Sequential(ResidualFC(z, width), ResidualFC(z + width, width))
        self.out = nn.Linear(z + 2 * width, sum(n for n, _ in spans))

    def forward(self, z, tau=0.5):
        raw = self.out(self.body(z))
        out = torch.empty_like(raw)
        at = 0
        for n, kind in self.spans:
            part = raw[:, at:at + n]
            out[:, at:at + n] = part.tanh() if kind == "num" else self.gumbel(part, tau)
            at += n
        return out

    @staticmethod
    def gumbel(logits, tau):
        g = torch.empty_like(logits).exponential_().log_().neg_()
        g += logits
        g /= tau
        return g.softmax(-1)


class Critic(nn.Module):
    def __init__(self, d, pac=2, width=12):
        super().__init__()
        self.pac = pac
        self.net = nn.Sequential(
            nn.Linear(d * pac, width), nn.LeakyReLU(0.2, inplace=True), nn.Linear(width, width),
            nn.LeakyReLU(0.2, inplace=True), nn.Linear(width, 1))

    def forward(self, x):
        return self.net(x.reshape(-1, x.shape[1] * self.pac))


class WGAN:
    def __init__(self, z, spans, clip=0.05, penalty=None):
        d = sum(n for n, _ in spans)
        self.z, self.clip, self.penalty = z, clip, penalty
        self.G, self.C = Generator(z, spans), Critic(d)
        self.g_opt = optim.RMSprop(self.G.parameters(), lr=5e-4)
        self.c_opt = optim.RMSprop(self.C.parameters(), lr=5e-4)
        self.noise = torch.empty(0)

    def latent(self, n):
        if len(self.noise) != n:
            self.noise = torch.empty(n, self.z)
        return self.noise.normal_().clone()

    def gradient_penalty(self, real, fake):
        a = torch.rand(len(real), 1)
        mid = real.mul(a).add_(fake.mul(1 - a)).requires_grad_()
        g, = autograd.grad(self.C(mid).sum(), mid, create_graph=True)
        n = g.view(-1, g.shape[1] * self.C.pac).norm(dim=1)
        return (n - 1).square().mean()

    def critic_step(self, real):
        with torch.no_grad():
            fake = self.G(self.latent(len(real)))
        loss = self.C(fake).mean() - self.C(real).mean()
        if self.penalty:
            loss = loss + self.penalty * self.gradient_penalty(real, fake)
        self.c_opt.zero_grad()
        loss.backward()
        self.c_opt.step()
        if not self.penalty:
            for p in self.C.parameters():
                p.data.clamp_(-self.clip, self.clip)
        return -loss.item()

    def generator_step(self, n):
        self.C.requires_grad_(False)
        loss = -self.C(self.G(self.latent(n))).mean()
        self.g_opt.zero_grad()
        loss.backward()
        self.g_opt.step()
        self.C.requires_grad_(True)
        return loss.item()

    def fit(self, stream, rounds, n_critic=2):
        it = iter(stream)
        for _ in range(rounds):
            for real in islice(it, n_critic):
                self.critic_step(real)
            self.generator_step(len(real))


def table_stream(n=8):
    while True:
        num = torch.randn(n, 2).clamp_(-1, 1)
        cat = torch.zeros(n, 3)
        cat.scatter_(1, torch.randint(0, 3, (n, 1)), 1)
        cat += torch.rand_like(cat) * 0.1
        cat /= cat.sum(1, keepdim=True)
        yield torch.cat([num, cat], 1)


# --- driver ---
torch.manual_seed(0)
for penalty in (None, 10.0):
    WGAN(4, [(2, "num"), (3, "cat")], penalty=penalty).fit(table_stream(), 1)
