import torch
import torch.nn as nn
import torch.nn.functional as F
from layers import WNConv1d, WNLinear


class TCN(nn.Module):
    def __init__(self, cin=1, ch=16, levels=3):
        super().__init__()
        self.convs = nn.ModuleList()
        for i in range(levels):
            self.convs.append(WNConv1d(cin if i == 0 else ch, ch, 3, dilation=2 ** i))
        self.fc = WNLinear(ch, 1)

    def forward(self, x):
        for c in self.convs:
            x = F.elu(c(x))
        return self.fc(x[:, :, -1])


def batches(n, t=32, bs=16):
    for _ in range(n):
        phase = torch.rand(bs, 1) * 6.28
        s = torch.sin(torch.arange(t + 1).float() * 0.3 + phase)
        yield s[:, None, :-1], s[:, -1:]


torch.manual_seed(0)
model = TCN()
optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
for i, (xb, yb) in enumerate(batches(12)):
    loss = F.mse_loss(model(xb), yb)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if i % 4 == 0:
        print(i, loss.item())
