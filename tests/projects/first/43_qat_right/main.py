import torch
import torch.nn.functional as F

from qat.net import Net
from qat.ternary import TernaryOp

if __name__ == "__main__":
    torch.manual_seed(0)
    net = Net()
    tern = TernaryOp([net.b.weight])
    opt = torch.optim.SGD(net.parameters(), 0.05)
    for _ in range(3):
        x, y = torch.randn(8, 6), torch.randint(0, 3, (8,))
        opt.zero_grad()
        with tern:
            loss = F.cross_entropy(net(x), y)
            loss.backward()
        tern.update_grad()
        opt.step()
        print(loss.item())
    net.eval()
    with torch.no_grad():
        print(net(torch.randn(2, 6)).argmax(1))
