import torch
import torch.nn.functional as F

EPS = 1e-20


class AdvWeightPerturb:
    """Adversarial weight perturbation, Wu et al. NeurIPS 2020"""

    def __init__(self, model, proxy, proxy_lr=0.01, gamma=0.01):
        self.model, self.proxy, self.gamma = model, proxy, gamma
        self.proxy_opt = torch.optim.SGD(proxy.parameters(), lr=proxy_lr)

    def calc(self, x_adv, y):
        self.proxy.load_state_dict(self.model.state_dict())
        self.proxy.train()
        loss = -F.cross_entropy(self.proxy(x_adv), y)
        self.proxy_opt.zero_grad()
        loss.backward()
        self.proxy_opt.step()
        diff = {}
        new = dict(self.proxy.named_parameters())
        for name, p in self.model.named_parameters():
            if p.dim() <= 1:
                continue
            d = (new[name] - p).detach()
            d.mul_(p.detach().norm() / (d.norm() + EPS))
            diff[name] = d
        return diff

    def perturb(self, diff):
        self._add(diff, self.gamma)

    def restore(self, diff):
        self._add(diff, -self.gamma)

    @torch.no_grad()
    def _add(self, diff, coeff):
        for name, p in self.model.named_parameters():
            if name in diff:
                p.add_(diff[name], alpha=coeff)  # BUG
