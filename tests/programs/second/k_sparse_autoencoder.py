"""k-sparse autoencoder for interpretability of model activations."""
import torch
import torch.nn as nn
import torch.nn.functional as F


class ActivationBuffer:
    """Ring buffer of harvested activations."""

    def __init__(self, size, dim):
        self.data = torch.zeros(size, dim)
        self.filled = 0

    def harvest(self, source, n):
        x = source(n)
        self.data = self.data.roll(n, 0)
        self.data[:n] = x
        self.filled = min(self.filled + n, self.data.size(0))

    def sample(self, n):
        return self.data[torch.randint(0, self.filled, (n,))]


class SparseAutoencoder(nn.Module):
    def __init__(self, dim, n_features, k):
        super().__init__()
        self.k = k
        self.pre_bias = nn.Parameter(torch.zeros(dim))
        self.enc = nn.Linear(dim, n_features)
        self.dec = nn.Linear(n_features, dim, bias=False)
        self.register_buffer("fire_count", torch.zeros(n_features))
        with torch.no_grad():
            self.dec.weight.copy_(self.enc.weight.t())
            self.normalise_decoder()

    @torch.no_grad()
    def normalise_decoder(self):
        self.dec.weight.div_(self.dec.weight.norm(dim=0, keepdim=True) + 1e-8)

    def encode(self, x):
        z = torch.sigmoid(self.enc(x - self.pre_bias))
        thresh = z.detach().topk(self.k, dim=-1).values[:, -1:]
        z.data.masked_fill_(z < thresh, 0.0)  # BUG silent
        return z

    def forward(self, x):
        z = self.encode(x)
        with torch.no_grad():
            self.fire_count.add_((z > 0).float().sum(0))
        return self.dec(z) + self.pre_bias, z


class DeadFeatureMonitor:
    def __init__(self, every=2):
        self.every, self.log = every, []

    def __call__(self, step, sae):
        if (step + 1) % self.every == 0:
            self.log.append(int((sae.fire_count == 0).sum()))
            sae.fire_count.zero_()


@torch.no_grad()
def project_decoder_grad(sae):
    w, g = sae.dec.weight, sae.dec.weight.grad
    g -= (g * w).sum(0, keepdim=True) * w


def train(sae, source, steps=2, batch=16, l1=1e-3, lr=1e-3):
    buf = ActivationBuffer(64, sae.pre_bias.numel())
    monitor = DeadFeatureMonitor()
    opt = torch.optim.Adam(sae.parameters(), lr=lr)
    for step in range(steps):
        buf.harvest(source, 32)
        x = buf.sample(batch)
        recon, z = sae(x)
        loss = F.mse_loss(recon, x) + l1 * z.sum(-1).mean()
        opt.zero_grad()
        loss.backward()
        project_decoder_grad(sae)
        opt.step()
        sae.normalise_decoder()
        monitor(step, sae)
    return monitor.log


class GaussianMixtureSource:
    def __init__(self, dim, n=6):
        self.dirs = F.normalize(torch.randn(n, dim), dim=-1)

    def __call__(self, n):
        code = torch.rand(n, self.dirs.size(0)) * (torch.rand(n, self.dirs.size(0)) < 0.3)
        return code @ self.dirs


# --- driver ---
torch.manual_seed(0)
train(SparseAutoencoder(8, 24, k=4), GaussianMixtureSource(8))
