import torch
from torch import nn
from torch.autograd import Function


class SwishFn(Function):
    @staticmethod
    def forward(ctx, x, beta):
        ctx.save_for_backward(x, beta)
        return x * torch.sigmoid(beta * x)

    @staticmethod
    def backward(ctx, grad_out):
        x, beta = ctx.saved_tensors
        s = torch.sigmoid(beta * x)
        ds = s * (1 - s)
        gx = grad_out * (s + beta * x * ds)
        gb = (grad_out * x * x * ds).sum().reshape(beta.shape)
        return gx, gb


class Swish(nn.Module):
    def __init__(self):
        super().__init__()
        self.beta = nn.Parameter(torch.ones(1))

    def forward(self, x):
        return SwishFn.apply(x, self.beta)


class SqueezeExcite(nn.Module):
    def __init__(self, ch, r=4):
        super().__init__()
        self.down = nn.Conv2d(ch, max(1, ch // r), 1)
        self.up = nn.Conv2d(max(1, ch // r), ch, 1)
        self.act = Swish()

    def forward(self, x):
        g = x.mean((2, 3), keepdim=True)
        return x * torch.sigmoid(self.up(self.act(self.down(g))))


class MBConv(nn.Module):
    def __init__(self, ch, expand=2, survive=0.8):
        super().__init__()
        mid = ch * expand
        self.expand = nn.Conv2d(ch, mid, 1, bias=False)
        self.dw = nn.Conv2d(mid, mid, 3, padding=1, groups=mid, bias=False)
        self.bn1, self.bn2, self.bn3 = nn.BatchNorm2d(mid), nn.BatchNorm2d(mid), nn.BatchNorm2d(ch)
        self.act1, self.act2 = Swish(), Swish()
        self.se = SqueezeExcite(mid)
        self.project = nn.Conv2d(mid, ch, 1, bias=False)
        self.survive = survive

    def drop_path(self, x):
        if not self.training:
            return x
        keep = torch.empty(x.size(0), 1, 1, 1).bernoulli_(self.survive).div_(self.survive)
        return x * keep

    def forward(self, x):
        h = self.act1(self.bn1(self.expand(x)))
        pre = self.bn2(self.dw(h))
        h = self.act2(pre)
        pre += h  # BUG
        h = self.bn3(self.project(self.se(pre)))
        return x + self.drop_path(h)


class MiniEffNet(nn.Module):
    def __init__(self, ch=8, depth=2, classes=5):
        super().__init__()
        self.stem = nn.Conv2d(3, ch, 3, 2, 1)
        self.body = nn.Sequential(*(MBConv(ch) for _ in range(depth)))
        self.fc = nn.Linear(ch, classes)

    def forward(self, x):
        return self.fc(self.body(self.stem(x)).mean((2, 3)))


# --- driver ---
torch.manual_seed(23)
net = MiniEffNet()
out = net(torch.randn(4, 3, 12, 12))
loss = nn.functional.cross_entropy(out, torch.tensor([0, 1, 2, 3]))
loss.backward()
