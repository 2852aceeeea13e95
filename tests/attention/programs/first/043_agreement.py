import torch
import torch.nn as nn
import torch.nn.functional as F


def squash(s, dim=-1):
    n2 = (s ** 2).sum(dim=dim, keepdim=True)
    return n2 / (1 + n2) * s / (n2.sqrt() + 1e-8)


class PrimaryCaps(nn.Module):
    def __init__(self, cin, caps, cap_dim, k=3):
        super().__init__()
        self.cap_dim = cap_dim
        self.conv = nn.Conv2d(cin, caps * cap_dim, k, stride=2)

    def forward(self, x):
        u = self.conv(x)
        b, _, h, w = u.shape
        u = u.view(b, -1, self.cap_dim, h, w).permute(0, 1, 3, 4, 2)
        return squash(u.reshape(b, -1, self.cap_dim))


class AgreementCaps(nn.Module):
    """Votes of lower capsules are combined with coefficients refined over a few rounds."""

    def __init__(self, n_out, d_in, d_out, rounds=3):
        super().__init__()
        self.n_out, self.rounds = n_out, rounds
        self.W = nn.Parameter(0.3 * torch.randn(n_out, d_in, d_out))

    def forward(self, u):
        # votes: B x out x in x d_out
        votes = torch.einsum("bid,ode->boie", u, self.W)
        logits = votes.new_zeros(votes.shape[:3])
        for r in range(self.rounds):
            c = F.softmax(logits, dim=1)  # NOT
            v = squash(torch.matmul(c.unsqueeze(2), votes).squeeze(2))
            if r + 1 < self.rounds:
                logits = logits + torch.matmul(votes, v.unsqueeze(-1)).squeeze(-1)
        return v


class CapsNet(nn.Module):
    def __init__(self, classes=4):
        super().__init__()
        self.stem = nn.Conv2d(1, 8, 3)
        self.primary = PrimaryCaps(8, 3, 4)
        self.digits = AgreementCaps(classes, 4, 6)

    def forward(self, img):
        v = self.digits(self.primary(torch.relu(self.stem(img))))
        return v.norm(dim=-1), v


def margin_loss(lengths, labels):
    t = F.one_hot(labels, lengths.size(1)).to(lengths.dtype)
    pos = F.relu(0.9 - lengths) ** 2
    neg = F.relu(lengths - 0.1) ** 2
    return (t * pos + 0.5 * (1 - t) * neg).sum()


# --- driver ---
torch.manual_seed(43)
net = CapsNet().double().eval()
RESULTS = []
for hw in ((9, 9), (11, 13)):
    net.zero_grad()
    img = torch.rand(2, 1, *hw, dtype=torch.float64, requires_grad=True)
    lengths, v = net(img)
    (margin_loss(lengths, torch.tensor([0, 3])) + v.pow(3).sum()).backward()
    RESULTS += [lengths.detach(), v.detach(), img.grad] + [p.grad.clone() for p in net.parameters()]
