import torch
import torch.nn.functional as F

from gnn.model import JKNet, LabelProp

if __name__ == "__main__":
    torch.manual_seed(0)
    n = 20
    x, y = torch.randn(n, 6), torch.randint(0, 3, (n,))
    ei = torch.cat([torch.randint(0, n, (2, 50)), torch.arange(n).repeat(2, 1)], 1)
    net = JKNet([6, 8, 8, 8], ["GCN", "SAGE", "Att"], 3)
    opt = torch.optim.Adam(net.parameters(), 1e-2)
    mask = torch.rand(n) < 0.5
    for _ in range(3):
        out = net(x, ei)
        loss = F.cross_entropy(out[mask], y[mask])
        opt.zero_grad()
        loss.backward()
        opt.step()
    print(loss.item(), LabelProp()(out.softmax(1).detach(), mask, ei, n).shape)
