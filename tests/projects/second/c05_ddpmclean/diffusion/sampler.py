import torch


@torch.no_grad()
def sample(diff, n, d):
    x = torch.randn(n, d)
    for t in reversed(range(diff.T)):
        tt = torch.full((n,), t)
        eps = diff.net(x, tt)
        beta, abar = diff.betas[t], diff.abar[t]
        x.sub_(beta / (1 - abar).sqrt() * eps).div_((1 - beta).sqrt())
        if t:
            x.add_(beta.sqrt() * torch.randn_like(x))
    return x
