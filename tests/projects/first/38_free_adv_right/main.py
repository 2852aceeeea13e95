import torch

from robust.nets import make
from robust.trainers import Free, Weight

TRAINERS = {"free": Free, "awp": Weight}

if __name__ == "__main__":
    torch.manual_seed(0)
    for name in ("free", "awp"):
        tr = TRAINERS[name](make())
        for _ in range(2):
            print(name, tr.step(torch.rand(4, 1, 8, 8), torch.randint(0, 3, (4,))))
