import torch

torch.set_num_threads(1)
torch.manual_seed(0)

from springsim import World

w = World([[0, 1], [1, 2]], [1.0, 1.0], 3, track_energy=True)
o = w(torch.tensor([[0.0, 0.0], [1.2, 0.0], [2.0, 0.3]]))
(o["pos"].sum() + o["energy"].var()).backward()
print("ok")
