import torch
from flows import build_flow


def two_moons(n):
    t = torch.rand(n) * 3.14159
    side = (torch.rand(n) > 0.5).float()
    x = torch.stack([t.cos() + side, t.sin() * (1 - 2 * side)], 1)
    x += 0.05 * torch.randn_like(x)
    return x


torch.manual_seed(0)
torch.set_num_threads(1)
flow = build_flow(dim=2, n_blocks=3)
opt = torch.optim.Adamax(flow.parameters(), lr=2e-3)
for it in range(5):
    loss = -flow.log_prob(two_moons(64)).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    print("it", it, "nll", round(loss.item(), 4))
print(flow.sample(3, 2))
