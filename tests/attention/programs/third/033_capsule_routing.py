"""CapsNet dynamic routing: coupling coefficients are a softmax over output capsules, refined by agreement."""
import torch
import torch.nn as nn
import torch.nn.functional as F


def squash(s, dim=-1, eps=1e-8):
    sq = (s ** 2).sum(dim=dim, keepdim=True)
    return sq / (1 + sq) * s / (sq + eps).sqrt()


class PrimaryCaps(nn.Module):
    def __init__(self, in_ch, caps, dim):
        super().__init__()
        self.dim = dim
        self.conv = nn.Conv2d(in_ch, caps * dim, kernel_size=3, stride=2)

    def forward(self, x):
        u = self.conv(x)
        return squash(u.reshape(x.size(0), -1, self.dim))


class RoutingCaps(nn.Module):
    def __init__(self, in_caps, in_dim, num_caps, dim_caps, num_routing=3):
        super().__init__()
        self.W = nn.Parameter(0.3 * torch.randn(1, num_caps, in_caps, dim_caps, in_dim))
        self.num_routing = num_routing
        self.num_caps, self.in_caps = num_caps, in_caps

    def forward(self, x):
        # (b, 1, in_caps, in_dim, 1)
        u_hat = torch.matmul(self.W, x[:, None, :, :, None]).squeeze(-1)  # b, num_caps, in_caps, dim
        temp_u_hat = u_hat.detach()
        b = torch.zeros(x.size(0), self.num_caps, self.in_caps, 1)
        for _ in range(self.num_routing - 1):
            c = F.softmax(b, dim=1)  # NOT
            s = (c * temp_u_hat).sum(dim=2)
            v = squash(s)
            b = b + torch.matmul(temp_u_hat, v.unsqueeze(-1))
        c = b.softmax(dim=1)
        s = torch.matmul(c.transpose(-2, -1), u_hat).squeeze(-2)
        return squash(s)


class CapsNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Conv2d(1, 6, 3)
        self.primary = PrimaryCaps(6, 2, 4)
        self.digits = RoutingCaps(in_caps=2 * 4, in_dim=4, num_caps=3, dim_caps=5)

    def forward(self, x):
        caps = self.digits(self.primary(F.relu(self.stem(x))))
        return caps, torch.linalg.norm(caps, dim=-1)


def margin_loss(lengths, target):
    t = F.one_hot(target, lengths.size(-1)).float()
    return (t * F.relu(0.9 - lengths) ** 2 + 0.5 * (1 - t) * F.relu(lengths - 0.1) ** 2).sum(-1).mean()


# --- driver ---
def main():
    torch.manual_seed(0)
    net = CapsNet().eval()
    x = torch.randn(2, 1, 8, 8, requires_grad=True)
    caps, lengths = net(x)
    margin_loss(lengths, torch.tensor([0, 2])).backward()
    return [caps, lengths, x.grad] + [p.grad for p in net.parameters()]


torch.set_default_dtype(torch.float64)
try:
    RESULTS = [one.detach() for one in main()]
finally:
    torch.set_default_dtype(torch.float32)
