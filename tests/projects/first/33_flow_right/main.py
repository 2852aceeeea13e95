import torch

from nf.dequant import dequantise
from nf.flow import Glow


def main():
    torch.manual_seed(0)
    flow = Glow(4, ["actnorm", "lu", "coupling", "actnorm", "lu", "coupling"])
    opt = torch.optim.Adamax(flow.parameters(), 1e-3)
    for _ in range(3):
        x = dequantise(torch.randint(0, 256, (16, 4)))
        loss = flow.bits(x)
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(loss.item())


main()
