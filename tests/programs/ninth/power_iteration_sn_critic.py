import torch
import torch.nn as nn
import torch.nn.functional as F


def l2n(v, eps=1e-12):
    return v / (v.norm() + eps)


class SpectralMixin:
    """Adds a singular-vector estimate to a layer and a normalised weight property."""

    n_power = 1

    def init_spectral(self):
        rows = self.weight.shape[0]
        cols = self.weight.numel() // rows
        self.register_buffer("sn_u", l2n(torch.randn(rows)))
        self.register_buffer("sn_v", l2n(torch.randn(cols)))

    def spectral_weight(self):
        w = self.weight.flatten(1)
        if self.training:
            with torch.no_grad():
                u = self.sn_u
                for _ in range(self.n_power):
                    v = l2n(torch.mv(w.t(), u))
                    u = l2n(torch.mv(w, v))
                self.sn_u = u
                self.sn_v.copy_(v)  # BUG
        sigma = torch.dot(self.sn_u, torch.mv(w, self.sn_v))
        return self.weight / sigma


class SNLinear(nn.Linear, SpectralMixin):
    def __init__(self, *a, **k):
        super().__init__(*a, **k)
        self.init_spectral()

    def forward(self, x):
        return F.linear(x, self.spectral_weight(), self.bias)


class SNConv2d(nn.Conv2d, SpectralMixin):
    def __init__(self, *a, **k):
        super().__init__(*a, **k)
        self.init_spectral()

    def forward(self, x):
        return F.conv2d(x, self.spectral_weight(), self.bias, self.stride, self.padding)


class Critic(nn.Module):
    def __init__(self, ch=8):
        super().__init__()
        self.c1 = SNConv2d(1, ch, 3, stride=2, padding=1)
        self.c2 = SNConv2d(ch, 2 * ch, 3, stride=2, padding=1)
        self.fc = SNLinear(2 * ch, 1)

    def forward(self, x):
        x = F.leaky_relu(self.c1(x), 0.1)
        x = F.leaky_relu(self.c2(x), 0.1)
        return self.fc(x.sum((2, 3))).squeeze(1)


class Decoder(nn.Module):
    def __init__(self, z=4, ch=8):
        super().__init__()
        self.ch = ch
        self.fc = nn.Linear(z, ch * 16)
        self.up = nn.ConvTranspose2d(ch, 1, 4, 2, 1)

    def forward(self, z):
        return torch.tanh(self.up(F.relu(self.fc(z)).view(-1, self.ch, 4, 4)))


def critic_step(critic, decoder, real, opt, z_dim=4):
    with torch.no_grad():
        fake = decoder(torch.randn(real.size(0), z_dim))
    s_real = critic(real)
    s_fake = critic(fake)
    loss = F.relu(1 - s_real).mean() + F.relu(1 + s_fake).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    return loss.item()


# --- driver ---
torch.manual_seed(10)
critic, decoder = Critic(), Decoder()
opt = torch.optim.Adam(critic.parameters(), lr=1e-4, betas=(0.5, 0.999))
print(critic_step(critic, decoder, torch.randn(4, 1, 8, 8), opt))
