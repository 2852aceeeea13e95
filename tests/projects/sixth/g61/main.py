import torch
import torch.nn as nn
import torch.nn.functional as F

from deq import DEQ, Cell


def check():
    cell = Cell(4, 6).double()
    deq = DEQ(cell)
    with torch.no_grad():
        pass
    x = torch.randn(3, 4).double()
    xa = x.clone().requires_grad_()
    torch.set_default_dtype(torch.float64)
    ga = torch.autograd.grad(deq(xa).pow(2).sum(), xa)[0]
    xb = x.clone().requires_grad_()
    z = torch.zeros_like(xb)
    for _ in range(200):
        z = cell(z, xb)
    gb = torch.autograd.grad(z.pow(2).sum(), xb)[0]
    torch.set_default_dtype(torch.float32)
    return (ga - gb).abs().max().item()


torch.manual_seed(61)
torch.set_num_threads(1)
print("implicit vs unrolled ok:", check() < 1e-3)
enc, deq, head = nn.Linear(5, 8), DEQ(Cell(8, 12)), nn.Linear(8, 2)
params = [*enc.parameters(), *deq.parameters(), *head.parameters()]
opt = torch.optim.Adam(params, 5e-3)
x = torch.randn(64, 5)
y = (x[:, 0] > x[:, 1]).long()
for it in range(5):
    loss = F.cross_entropy(head(deq(enc(x))), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(it, round(loss.item(), 4))
