import torch

from sng.trainer import Trainer

torch.manual_seed(0)
t = Trainer()
for _ in range(2):
    print(t.step(torch.rand(6, 1, 8, 8), torch.randint(0, 3, (6,))))
