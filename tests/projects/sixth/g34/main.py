import torch
import torch.nn as nn
import torch.nn.functional as F


class CenterLoss(nn.Module):
    def __init__(self, n_cls, dim, alpha=0.5):
        super().__init__()
        self.register_buffer("centers", torch.randn(n_cls, dim))
        self.alpha = alpha

    def forward(self, feat, labels):
        picked = self.centers[labels]
        loss = (feat - picked).pow(2).sum(1).mean()
        if self.training:
            self._update(feat.detach(), labels, picked)
        return loss

    @torch.no_grad()
    def _update(self, feat, labels, picked):
        diff = picked - feat
        count = torch.zeros(self.centers.size(0)).index_add_(0, labels, torch.ones(labels.numel()))
        diff /= (1 + count[labels]).unsqueeze(1)
        self.centers.index_add_(0, labels, diff, alpha=-self.alpha)


class ArcMargin(nn.Module):
    def __init__(self, dim, n_cls, s=8.0, m=0.2):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(n_cls, dim))
        nn.init.xavier_uniform_(self.weight)
        self.s, self.m = s, m
        self.register_buffer("t", torch.zeros(1))

    def forward(self, x, y):
        cosine = F.linear(F.normalize(x), F.normalize(self.weight))
        cosine = cosine.clamp(-0.999, 0.999)
        theta = torch.acos(cosine)
        target = theta.gather(1, y[:, None])
        with torch.no_grad():
            self.t.mul_(0.99).add_(cosine.gather(1, y[:, None]).mean(), alpha=0.01)
        onehot = torch.zeros_like(cosine)
        onehot.scatter_(1, y.view(-1, 1), 1)
        phi = torch.cos(theta + self.m)
        out = onehot * phi
        out += (1.0 - onehot) * cosine
        out *= self.s
        del target
        return out


def train():
    net = nn.Sequential(nn.Linear(6, 32), nn.PReLU(), nn.Linear(32, 4))
    margin, center = ArcMargin(4, 3), CenterLoss(3, 4)
    opt = torch.optim.SGD([
        {"params": net.parameters()},
        {"params": margin.parameters(), "weight_decay": 5e-4},
    ], lr=0.05, momentum=0.9)
    mean = torch.randn(3, 6) * 1.5
    for it in range(12):
        y = torch.randint(0, 3, (30,))
        x = mean[y]
        x += torch.randn_like(x)
        f = net(x)
        loss_c = center(f, y)
        loss_a = F.cross_entropy(margin(f, y), y)
        loss = loss_a + 0.01 * loss_c
        opt.zero_grad()
        loss.backward()
        opt.step()
        if it % 4 == 0:
            print(it, f"{loss_a.item():.4f} {loss_c.item():.4f} t={margin.t.item():.4f}")


if __name__ == "__main__":
    torch.manual_seed(34)
    torch.set_num_threads(1)
    train()
