import torch


def flat_grads(loss, params, retain):
    grads = torch.autograd.grad(loss, params, retain_graph=retain, allow_unused=True)
    return torch.cat([
        (torch.zeros_like(p) if g is None else g).reshape(-1) for p, g in zip(params, grads)])


def project_conflicts(gs):
    """PCGrad: remove the conflicting component of each task gradient."""
    out = [g.clone() for g in gs]
    for i, g in enumerate(out):
        for j, other in enumerate(gs):
            if i == j:
                continue
            dot = torch.dot(g, other)
            if dot < 0:
                g.sub_(other, alpha=float(dot / (other.norm() ** 2 + 1e-9)))
    return torch.stack(out).sum(0)


def assign(params, flat):
    i = 0
    for p in params:
        n = p.numel()
        p.grad = flat[i:i + n].view_as(p).clone()
        i += n
