import torch
from torch import nn
import torch.nn.functional as F


def mu_law(x, mu=63):
    y = torch.sign(x) * torch.log1p(mu * x.abs()) / torch.log1p(torch.tensor(float(mu)))
    return ((y + 1) / 2 * mu + 0.5).long().clamp_(0, mu)


class CausalConv1d(nn.Conv1d):
    def __init__(self, cin, cout, k, dilation=1):
        super().__init__(cin, cout, k, dilation=dilation)
        self.left = (k - 1) * dilation

    def forward(self, x):
        return super().forward(F.pad(x, (self.left, 0)))


class GatedUnit(nn.Module):
    """out = value * sigmoid(gate), with conditioning added on the value half."""

    def __init__(self, ch, cond, dilation):
        super().__init__()
        self.conv = CausalConv1d(ch, 2 * ch, 2, dilation)
        self.cond = nn.Linear(cond, ch)
        self.res = nn.Conv1d(ch, ch, 1)
        self.skip = nn.Conv1d(ch, ch, 1)

    def forward(self, x, c):
        value, gate = self.conv(x).chunk(2, dim=1)
        value += self.cond(c).unsqueeze(-1)  # BUG
        h = value * torch.sigmoid(gate)
        return x + self.res(h), self.skip(h)


class WaveNet(nn.Module):
    def __init__(self, classes=64, ch=8, cond=3, dilations=(1, 2, 4)):
        super().__init__()
        self.classes = classes
        self.inp = nn.Embedding(classes, ch)
        self.units = nn.ModuleList(GatedUnit(ch, cond, d) for d in dilations)
        self.post = nn.Sequential(nn.ReLU(inplace=True), nn.Conv1d(ch, ch, 1), nn.ReLU(inplace=True), nn.Conv1d(ch, classes, 1))

    @property
    def receptive_field(self):
        return 1 + sum(u.conv.left for u in self.units)

    def forward(self, codes, speaker):
        x = self.inp(codes).transpose(1, 2)
        total = 0
        for unit in self.units:
            x, s = unit(x, speaker)
            total = total + s
        return self.post(total)

    @torch.no_grad()
    def generate(self, n, speaker):
        buf = torch.zeros(speaker.size(0), n, dtype=torch.long)
        for i in range(1, n):
            lo = max(0, i - self.receptive_field)
            p = self(buf[:, lo:i], speaker)[..., -1].softmax(-1)
            buf[:, i] = torch.multinomial(p, 1).squeeze(1)
        return buf


class SineSpeakers:
    def __init__(self, n=3, length=24):
        self.n, self.length = n, length

    def __call__(self, batch):
        who = torch.randint(self.n, (batch,))
        t = torch.arange(self.length) / self.length
        wav = torch.sin(2 * torch.pi * (who[:, None] + 2) * t + torch.rand(batch, 1))
        return mu_law(wav), F.one_hot(who, self.n).float()


def train(model, source, iters):
    opt = torch.optim.Adam(model.parameters(), lr=2e-3)
    for i in range(iters):
        codes, spk = source(4)
        logits = model(codes[:, :-1], spk)
        loss = F.cross_entropy(logits, codes[:, 1:])
        opt.zero_grad()
        loss.backward()
        opt.step()


# --- driver ---
torch.manual_seed(0)
train(WaveNet(), SineSpeakers(), 1)
