import math
import torch
from torch import nn
from spectral import total_loss


class Vocoder(nn.Module):
    def __init__(self, n_feat=4, hop=16, ch=24):
        super().__init__()
        self.pre = nn.Conv1d(n_feat, ch, 5, padding=2)
        self.res = nn.Conv1d(ch, ch, 3, padding=1)
        self.up = nn.ConvTranspose1d(ch, 1, hop, stride=hop)

    def forward(self, feats):
        h = torch.tanh(self.pre(feats))
        h = h + torch.tanh(self.res(h))
        return torch.tanh(self.up(h)).squeeze(1)


def make_pair(b, frames=16, hop=16):
    f0 = 0.05 + 0.1 * torch.rand(b, 1)
    amp = 0.3 + 0.5 * torch.rand(b, 1)
    wav = amp * torch.sin(2 * math.pi * f0 * torch.arange(frames * hop))
    fr = wav.view(b, frames, hop)
    feats = torch.stack([fr.abs().mean(-1), fr.pow(2).mean(-1), fr[..., 0], fr[..., -1]], 1)
    return feats, wav


torch.manual_seed(0)
net = Vocoder()
opt = torch.optim.Adam(net.parameters(), lr=2e-3)
for step in range(6):
    feats, wav = make_pair(8)
    log = {}
    loss = total_loss(net(feats), wav, log)
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(step, " ".join("%s=%.3f" % kv for kv in log.items()))
