"""CapsNet for tiny images: primary capsules, dynamic routing, margin loss with a decoder."""
import torch
import torch.nn as nn
import torch.nn.functional as F


def squash(s, dim=-1):
    sq = s.pow(2).sum(dim, keepdim=True)
    return sq / (1 + sq) * s / torch.sqrt(sq + 1e-8)


class PrimaryCapsules(nn.Module):
    def __init__(self, c_in, capsules, dim):
        super().__init__()
        self.dim = dim
        self.conv = nn.Conv2d(c_in, capsules * dim, 3, stride=2)

    def forward(self, x):
        u = self.conv(x)
        n = u.size(0)
        u = u.view(n, -1, self.dim, u.size(2) * u.size(3)).permute(0, 1, 3, 2)
        return squash(u.reshape(n, -1, self.dim))


class RoutingCapsules(nn.Module):
    def __init__(self, n_in, d_in, n_out, d_out, iterations=3):
        super().__init__()
        self.iterations = iterations
        self.weight = nn.Parameter(0.1 * torch.randn(n_in, n_out, d_out, d_in))

    def forward(self, u):
        votes = torch.einsum("ijkl,bil->bijk", self.weight, u)
        logits = votes.new_zeros(votes.shape[:3])
        for it in range(self.iterations):
            coupling = torch.softmax(logits, dim=2)
            v = squash((coupling.unsqueeze(-1) * votes).sum(1))
            if it + 1 < self.iterations:
                logits += (votes * v.unsqueeze(1)).sum(-1)
        return v


class Decoder(nn.Module):
    def __init__(self, n_out, d_out, pixels):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(n_out * d_out, 32), nn.ReLU(inplace=True), nn.Linear(32, pixels), nn.Sigmoid())

    def forward(self, caps, onehot):
        return self.net((caps * onehot.unsqueeze(-1)).flatten(1))


class CapsNet(nn.Module):
    def __init__(self, side=10, classes=3):
        super().__init__()
        self.classes = classes
        self.stem = nn.Sequential(nn.Conv2d(1, 8, 3), nn.ReLU(inplace=True))
        self.primary = PrimaryCapsules(8, capsules=2, dim=4)
        grid = (side - 2 - 3) // 2 + 1
        self.digits = RoutingCapsules(2 * grid * grid, 4, classes, 6)
        self.decoder = Decoder(classes, 6, side * side)

    def forward(self, x, y):
        caps = self.digits(self.primary(self.stem(x)))
        onehot = F.one_hot(y, self.classes).to(x.dtype)
        return caps.norm(dim=-1), self.decoder(caps, onehot), onehot


def margin_loss(lengths, onehot, up=0.9, low=0.1, down_weight=0.5):
    hit = onehot * F.relu(up - lengths).square()
    miss = (1 - onehot) * F.relu(lengths - low).square()
    return (hit + down_weight * miss).sum(1).mean()


def step(net, opt, x, y):
    lengths, rebuilt, onehot = net(x, y)
    loss = margin_loss(lengths, onehot) + 5e-4 * F.mse_loss(rebuilt, x.flatten(1), reduction="sum")
    opt.zero_grad()
    loss.backward()
    opt.step()
    return loss.item(), (lengths.argmax(1) == y).float().mean().item()


# --- driver ---
torch.manual_seed(4)
net = CapsNet()
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
for _ in range(3):
    print(step(net, opt, torch.rand(4, 1, 10, 10), torch.randint(0, 3, (4,))))
