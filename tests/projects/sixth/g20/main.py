import torch
import torch.nn as nn
from torch.autograd import Function
from torch.autograd.function import once_differentiable


class InplaceLeaky(Function):
    @staticmethod
    def forward(ctx, x, slope):
        x.mul_(torch.where(x > 0, 1.0, slope))
        ctx.mark_dirty(x)
        ctx.slope = slope
        ctx.save_for_backward(x)
        return x

    @staticmethod
    @once_differentiable
    def backward(ctx, g):
        (y,) = ctx.saved_tensors
        # sign is preserved, so the output is enough
        gx = g.clone()
        gx[y < 0] *= ctx.slope
        return gx, None


class CappedExp(Function):
    @staticmethod
    def forward(ctx, x, cap):
        buf = x.clone()
        buf.clamp_(max=cap).exp_()
        ctx.save_for_backward(buf)
        ctx.open = x < cap
        return buf

    @staticmethod
    def backward(ctx, g):
        (y,) = ctx.saved_tensors
        out = g * y
        out.masked_fill_(~ctx.open, 0)
        return out, None


class ScaleGrad(Function):
    @staticmethod
    def forward(ctx, x, s):
        ctx.s = s
        return x.view_as(x)

    @staticmethod
    def backward(ctx, g):
        return g * ctx.s, None


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(6, 20)
        self.fc2 = nn.Linear(20, 20)
        self.fc3 = nn.Linear(20, 3)
        self.bias = nn.Parameter(torch.zeros(20))

    def forward(self, x):
        h = InplaceLeaky.apply(self.fc1(x), 0.1)
        h = self.fc2(h)
        h += self.bias
        h = InplaceLeaky.apply(h, 0.2)
        h = ScaleGrad.apply(h, 0.5)
        w = CappedExp.apply(self.fc3(h), 2.0)
        return w / w.sum(1, keepdim=True)


def selftest():
    lin = nn.Linear(4, 4).double()
    x = torch.randn(5, 4, dtype=torch.double, requires_grad=True)
    assert torch.autograd.gradcheck(lambda t: InplaceLeaky.apply(lin(t), 0.3), (x,))
    assert torch.autograd.gradcheck(lambda t: CappedExp.apply(t * 2, 0.7), (x,))
    a = torch.autograd.grad(InplaceLeaky.apply(lin(x), 0.3).pow(2).sum(), x)[0]
    b = torch.autograd.grad(nn.functional.leaky_relu(lin(x), 0.3).pow(2).sum(), x)[0]
    assert torch.allclose(a, b)


def train():
    net = Net()
    opt = torch.optim.SGD(net.parameters(), lr=0.3, momentum=0.5)
    x = torch.randn(80, 6)
    t = x[:, :3].argmax(1)
    for ep in range(6):
        p = net(x)
        loss = -p.gather(1, t[:, None]).log().mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(ep, round(loss.item(), 4))


if __name__ == "__main__":
    torch.manual_seed(20)
    torch.set_num_threads(1)
    selftest()
    train()
