import torch
from torch import nn


def perturbed(model, images, eps=0.1, steps=2):
    images = images.detach()
    adversarial = images + 0.01 * torch.randn_like(images)
    for _ in range(steps):
        adversarial.requires_grad_(True)
        (slope,) = torch.autograd.grad(model(adversarial).square().sum(), adversarial)
        adversarial = adversarial.detach()
        adversarial.add_(slope.sign_(), alpha=0.03)
        torch.min(torch.max(adversarial, images - eps), images + eps, out=adversarial)
    return adversarial


model = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 2))
images = torch.rand(3, 4)
model(perturbed(model, images)).square().sum().backward()
