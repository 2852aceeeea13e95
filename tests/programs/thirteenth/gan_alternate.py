import torch, torch.nn as nn, torch.nn.functional as F

Z = 8


class G(nn.Module):
    def __init__(self, ch=12):
        super().__init__()
        self.fc = nn.Linear(Z, ch * 16)
        self.ch = ch
        self.net = nn.Sequential(
            nn.ConvTranspose2d(ch, ch // 2, 4, 2, 1), nn.BatchNorm2d(ch // 2), nn.ReLU(True),
            nn.Conv2d(ch // 2, 1, 3, 1, 1), nn.Tanh(),
        )

    def forward(self, z):
        return self.net(F.relu(self.fc(z)).view(-1, self.ch, 4, 4))


class D(nn.Module):
    def __init__(self, ch=12):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(1, ch, 3, 2, 1), nn.LeakyReLU(0.2, True),
            nn.Conv2d(ch, ch, 3, 2, 1), nn.LeakyReLU(0.2, True), nn.Flatten())
        self.out = nn.Linear(ch * 4, 1)

    def forward(self, x):
        f = self.features(x)
        return self.out(f).squeeze(1), f


def d_loss(real, fake):
    return F.softplus(-real).mean() + F.softplus(fake).mean()


def g_loss(fake):
    return F.softplus(-fake).mean()


class Meter(dict):
    def push(self, **kw):
        for k, v in kw.items():
            self.setdefault(k, []).append(round(float(v), 4))


class AdversarialLoop:
    def __init__(self, g, d, lr=2e-4, feat_weight=0.1):
        self.g, self.d = g, d
        self.opt_g = torch.optim.Adam(g.parameters(), lr, betas=(0.5, 0.999))
        self.opt_d = torch.optim.Adam(d.parameters(), lr, betas=(0.5, 0.999))
        self.fw = feat_weight
        self.meter = Meter()

    def generator_objective(self, fake, feat_real):
        logit, feat = self.d(fake)
        return g_loss(logit) + self.fw * F.mse_loss(feat.mean(0), feat_real.mean(0).detach())

    def critic_objective(self, real, fake):
        lr_, fr = self.d(real)
        lf, _ = self.d(fake.detach())
        return d_loss(lr_, lf), fr

    def step(self, real):
        fake = self.g(torch.randn(len(real), Z))
        loss_d, feat_real = self.critic_objective(real, fake)
        loss_g = self.generator_objective(fake, feat_real)

        self.opt_d.zero_grad()
        loss_d.backward()
        self.opt_d.step()  # BUG

        self.opt_g.zero_grad()
        loss_g.backward()
        self.opt_g.step()
        self.meter.push(d=loss_d, g=loss_g)


# --- driver ---
torch.manual_seed(0)
loop = AdversarialLoop(G(), D())
for _ in range(3):
    loop.step(torch.rand(8, 1, 8, 8) * 2 - 1)
print(loop.meter)
