import torch
from torch import nn
from moe import MoE


class Model(nn.Module):
    def __init__(self, d_in, n_cls, dim=16):
        super().__init__()
        self.embed = nn.Linear(d_in, dim)
        self.moe = MoE(dim)
        self.head = nn.Linear(dim, n_cls)

    def forward(self, x):
        h = torch.tanh(self.embed(x))
        y, aux = self.moe(h)
        return self.head(h + y), aux


torch.manual_seed(0)
model = Model(8, 3)
opt = torch.optim.Adam(model.parameters(), lr=1e-3)
X, Y = torch.randn(128, 8), torch.randint(0, 3, (128,))
for ep in range(3):
    for xb, yb in zip(X.split(32), Y.split(32)):
        out, aux = model(xb)
        loss = nn.functional.cross_entropy(out, yb) + aux
        opt.zero_grad()
        loss.backward()
        opt.step()
    print(ep, loss.item(), [round(u, 2) for u in model.moe.stats["usage"].tolist()])
