import torch

torch.set_num_threads(1)
torch.manual_seed(0)

from splat2d import rasterization

n = 5
p = [torch.randn(n, 3) * 0.3, torch.randn(n, 4), torch.rand(n, 3) * 0.2 + 0.1, torch.rand(n), torch.rand(n, 3)]
for t in p:
    t.requires_grad_(True)
V = torch.eye(4)
V[2, 3] = 3.0
out = rasterization(*p, V, 8, 8, rasterize_mode="antialiased", background=torch.ones(3))
out["image"].sum().backward()
print("ok")
