import torch

torch.set_num_threads(1)
torch.manual_seed(0)

from diffsim import Rollout, tracking_cost

c = torch.randn(2, 3, 2, requires_grad=True)
traj = Rollout()(torch.zeros(2, 4), c)
tracking_cost(traj, torch.ones_like(traj)).backward()
print("ok")
