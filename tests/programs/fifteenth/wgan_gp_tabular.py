"""WGAN-GP for tabular data with mixed columns."""
import torch
import torch.nn as nn


def residual(dim):
    class Residual(nn.Module):
        def __init__(self):
            super().__init__()
            self.fc = nn.Linear(dim, dim)
            self.bn = nn.BatchNorm1d(dim)

        def forward(self, x):
            h = self.bn(self.fc(x))
            h.relu_()
            return torch.cat([h, x], 1)

    return Residual()


class TabGenerator(nn.Module):
    def __init__(self, z, n_num, n_cat, width=24):
        super().__init__()
        self.n_num = n_num
        self.z = z
        self.body = residual(z)
        self.out = nn.Linear(2 * z, n_num + n_cat)

    def forward(self, n):
        y = self.out(self.body(torch.randn(n, self.z)))
        num, cat = y[:, : self.n_num], y[:, self.n_num:]
        return torch.cat([torch.tanh(num), self.gumbel(cat)], 1)

    @staticmethod
    def gumbel(logits, tau=0.5):
        u = torch.rand_like(logits).clamp_(1e-6, 1 - 1e-6)
        u.log_().neg_().log_().neg_()
        return ((logits + u) / tau).softmax(-1)


class TabCritic(nn.Module):
    def __init__(self, dim, width=32, pac=2):
        super().__init__()
        self.pac = pac
        self.net = nn.Sequential(
            nn.Linear(dim * pac, width), nn.LeakyReLU(0.2), nn.Dropout(0.3), nn.Linear(width, width), nn.LeakyReLU(0.2), nn.Linear(width, 1)
        )

    def forward(self, x):
        return self.net(x.reshape(len(x) // self.pac, -1))

    def penalty(self, real, fake, lam=10.0):
        eps = torch.rand(len(real), 1)
        mid = fake.detach().clone()
        mid.mul_(1 - eps).add_(real * eps)
        mid.requires_grad_(True)
        g = torch.autograd.grad(self(mid).sum(), mid, create_graph=True)[0]
        g = g.reshape(len(real) // self.pac, -1)
        return lam * (g.norm(dim=1) - 1).pow(2).mean()


class Synthesizer:
    def __init__(self, n_num=3, n_cat=4, z=8, n_critic=2):
        self.g = TabGenerator(z, n_num, n_cat)
        self.c = TabCritic(n_num + n_cat)
        self.og = torch.optim.Adam(self.g.parameters(), 2e-4, betas=(0.5, 0.9), weight_decay=1e-6)
        self.oc = torch.optim.Adam(self.c.parameters(), 2e-4, betas=(0.5, 0.9))
        self.n_critic = n_critic

    def update_critic(self, real):
        fake = self.g(len(real)).detach()
        loss = self.c(fake).mean() - self.c(real).mean() + self.c.penalty(real, fake)
        self.oc.zero_grad(set_to_none=False)
        loss.backward()
        self.oc.step()
        return loss.item()

    def update_generator(self, n):
        self.c.requires_grad_(False)
        loss = -self.c(self.g(n)).mean()
        self.og.zero_grad()
        loss.backward()
        self.og.step()
        self.c.requires_grad_(True)
        return loss.item()

    def fit(self, table, steps, batch=16):
        for step in range(steps):
            for _ in range(self.n_critic):
                lc = self.update_critic(table[torch.randint(0, len(table), (batch,))])
            print(step, f"critic {lc:.3f} gen {self.update_generator(batch):.3f}")


# --- driver ---
if __name__ == "__main__":
    torch.set_num_threads(1)
    torch.manual_seed(0)
    num = torch.randn(100, 3).tanh_()
    cat = nn.functional.one_hot(torch.randint(0, 4, (100,)), 4).float()
    Synthesizer().fit(torch.cat([num, cat], 1), 3)
