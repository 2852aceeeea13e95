import torch

from gpt.model import GPT
from gpt.reinforce import reinforce_step

if __name__ == "__main__":
    torch.manual_seed(0)
    net = GPT()
    opt = torch.optim.Adam(net.parameters(), lr=1e-3)
    for _ in range(2):
        print(reinforce_step(net, opt, lambda t: (t == 3).float().squeeze(1) + torch.rand(t.size(0))))
