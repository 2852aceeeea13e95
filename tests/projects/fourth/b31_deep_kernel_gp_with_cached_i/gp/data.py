import torch


def noisy_sines(n):
    x = torch.linspace(-3, 3, n).unsqueeze(1)
    y = torch.sin(2 * x).add_(torch.randn_like(x), alpha=0.1).squeeze(1)
    y -= y.mean()
    return x, y
