import torch
import torch.nn as nn
import torch.nn.functional as F


class SAM(torch.optim.Optimizer):
    def __init__(self, params, base_cls, rho=0.05, **kwargs):
        super().__init__(params, dict(rho=rho, **kwargs))
        self.base = base_cls(self.param_groups, **kwargs)
        self.param_groups = self.base.param_groups

    def _grad_norm(self):
        norms = [p.grad.norm(2) for g in self.param_groups for p in g["params"] if p.grad is not None]
        return torch.stack(norms).norm(2)

    @torch.no_grad()
    def ascend(self):
        scale_norm = self._grad_norm()
        for group in self.param_groups:
            scale = group["rho"] / (scale_norm + 1e-12)
            for p in group["params"]:
                if p.grad is None:
                    continue
                self.state[p]["old"] = p.detach().clone()
                p.add_(p.grad * scale)  # BUG
        self.zero_grad()

    @torch.no_grad()
    def descend(self):
        for group in self.param_groups:
            for p in group["params"]:
                if "old" in self.state[p]:
                    p.copy_(self.state[p].pop("old"))
        self.base.step()
        self.zero_grad()


class MLPMixerLite(nn.Module):
    def __init__(self, tokens, dim, n_cls):
        super().__init__()
        self.embed = nn.Linear(dim, dim)
        self.token = nn.Sequential(nn.Linear(tokens, tokens * 2), nn.ReLU(inplace=True), nn.Linear(tokens * 2, tokens))
        self.channel = nn.Sequential(nn.Linear(dim, dim * 2), nn.ReLU(inplace=True), nn.Linear(dim * 2, dim))
        self.head = nn.Linear(dim, n_cls)

    def forward(self, x):
        x = self.embed(x)
        y = self.token(x.transpose(1, 2)).transpose(1, 2)
        y += x
        z = self.channel(y)
        z += y
        return self.head(z.mean(1))


def smooth_targets(y, n_cls, eps):
    t = torch.full((y.size(0), n_cls), eps / (n_cls - 1))
    t.scatter_(1, y.unsqueeze(1), 1 - eps)
    return t


class Trainer:
    def __init__(self, model, n_cls, smoothing=0.1):
        self.model = model
        self.n_cls = n_cls
        self.smoothing = smoothing
        self.optimizer = SAM(model.parameters(), torch.optim.SGD, rho=0.05, lr=0.1, momentum=0.9)

    def compute_loss(self, x, y):
        logp = F.log_softmax(self.model(x), dim=-1)
        return -(smooth_targets(y, self.n_cls, self.smoothing) * logp).sum(-1).mean()

    def training_step(self, x, y):
        loss = self.compute_loss(x, y)
        loss.backward(retain_graph=True)
        self.optimizer.ascend()
        loss.backward()
        self.optimizer.descend()
        return loss.item()


# --- driver ---
torch.manual_seed(0)
trainer = Trainer(MLPMixerLite(4, 6, 3), 3)
for _ in range(2):
    trainer.training_step(torch.randn(5, 4, 6), torch.randint(0, 3, (5,)))
