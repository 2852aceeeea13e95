import torch
import torch.nn.functional as F


def pgd_linf(model, x, y, eps=8 / 255, alpha=2 / 255, steps=3):
    was_training = model.training
    model.eval()
    x_adv = x.detach().clone()
    x_adv += torch.empty_like(x).uniform_(-eps, eps)
    for _ in range(steps):
        x_adv.requires_grad_(True)
        loss = F.cross_entropy(model(x_adv), y)
        g, = torch.autograd.grad(loss, x_adv)
        with torch.no_grad():
            x_adv += alpha * g.sign()
            x_adv.copy_(torch.max(torch.min(x_adv, x + eps), x - eps)).clamp_(0, 1)
        x_adv = x_adv.detach()
    model.train(was_training)
    return x_adv
