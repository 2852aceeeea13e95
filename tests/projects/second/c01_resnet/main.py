import torch
import torch.nn.functional as F
from models import ResNet

if __name__ == "__main__":
    net = ResNet([4, 8, 8], 3)
    opt = torch.optim.SGD(net.parameters(), 0.1, momentum=0.9)
    for _ in range(2):
        loss = F.cross_entropy(net(torch.randn(2, 3, 8, 8)), torch.randint(3, (2,)))
        opt.zero_grad()
        loss.backward()
        opt.step()
