import torch
import torch.nn.functional as F

from abn.net import Net

if __name__ == "__main__":
    torch.manual_seed(0)
    net = Net()
    opt = torch.optim.SGD(net.parameters(), lr=0.05)
    for _ in range(2):
        c, d = net(torch.randn(4, 1, 6, 6))
        loss = F.cross_entropy(c, torch.randint(0, 3, (4,))) + F.cross_entropy(d, torch.randint(0, 2, (4,)))
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(loss.item())
