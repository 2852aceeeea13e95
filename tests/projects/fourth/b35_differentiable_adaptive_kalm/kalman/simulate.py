import torch


def tracks(n, batch, horizon, dt=0.5, r=0.3):
    """Yields measurement sequences (horizon, batch, 1)."""
    for _ in range(n):
        pos, vel = torch.zeros(batch, 1), torch.randn(batch, 1)
        zs = torch.empty(horizon, batch, 1)
        for t in range(horizon):
            vel.mul_(0.95).add_(torch.randn_like(vel), alpha=0.1)
            pos.add_(vel, alpha=dt)
            zs[t] = pos + r * torch.randn_like(pos)
        yield zs
