import torch
import torch.nn as nn


def squash(s, dim=-1, eps=1e-8):
    n2 = (s * s).sum(dim, keepdim=True)
    return (n2 / (1 + n2)) * s / (n2 + eps).sqrt()


class PrimaryCaps(nn.Module):
    def __init__(self, in_ch, n_caps, d_caps):
        super().__init__()
        self.d_caps = d_caps
        self.conv = nn.Conv2d(in_ch, n_caps * d_caps, 3, stride=2)

    def forward(self, x):
        u = self.conv(x)
        b = u.shape[0]
        u = u.view(b, -1, self.d_caps, *u.shape[2:]).permute(0, 1, 3, 4, 2)
        return squash(u.reshape(b, -1, self.d_caps))


class RoutedCaps(nn.Module):
    """agreement between votes and output capsules decides the coupling, `rounds` times"""

    def __init__(self, d_in, n_out, d_out, rounds=3):
        super().__init__()
        self.rounds = rounds
        self.W = nn.Parameter(torch.randn(n_out, d_in, d_out) * 0.2)
        self.pos = nn.Parameter(torch.randn(n_out, 1, d_out) * 0.05)

    def forward(self, u):
        # u: b i d  ->  votes: b j i e
        votes = torch.einsum('bid,jde->bjie', u, self.W) + self.pos
        logits = votes.new_zeros(votes.shape[:3])
        frozen = votes.detach()
        for r in range(self.rounds):
            last = r == self.rounds - 1
            c = torch.softmax(logits, dim=1)  # NOT
            s = torch.einsum('bji,bjie->bje', c, votes if last else frozen)
            v = squash(s)
            if not last:
                logits = logits + torch.einsum('bjie,bje->bji', frozen, v)
        return v


class CapsNet(nn.Module):
    def __init__(self, classes=5):
        super().__init__()
        self.stem = nn.Conv2d(1, 6, 3)
        self.primary = PrimaryCaps(6, 4, 4)
        self.digits = RoutedCaps(4, classes, 6)

    def forward(self, img):
        v = self.digits(self.primary(torch.relu(self.stem(img))))
        return v.norm(dim=-1), v


def margin_loss(lengths, y, hi=0.9, lo=0.1, lam=0.5):
    t = nn.functional.one_hot(y, lengths.shape[1]).to(lengths)
    return (t * (hi - lengths).relu() ** 2 + lam * (1 - t) * (lengths - lo).relu() ** 2).sum(1).mean()


# --- driver ---
torch.manual_seed(18)
caps = CapsNet().double().eval()
RESULTS = []
for side in (9, 13):
    img = torch.rand(3, 1, side, side, dtype=torch.float64, requires_grad=True)
    caps.zero_grad()
    lengths, poses = caps(img)
    (margin_loss(lengths, torch.tensor([0, 3, 4])) + poses.pow(3).sum()).backward()
    RESULTS += [lengths.detach(), poses.detach(), img.grad]
    RESULTS += [p.grad.clone() for p in caps.parameters()]
