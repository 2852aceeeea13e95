import torch.nn as nn
import torch.nn.functional as F


class ResBlock(nn.Module):
    def __init__(self, ch):
        super().__init__()
        self.c1, self.c2 = nn.Conv2d(ch, ch, 3, padding=1), nn.Conv2d(ch, ch, 3, padding=1)
        self.n1, self.n2 = nn.InstanceNorm2d(ch), nn.InstanceNorm2d(ch)

    def forward(self, x):
        out = F.relu(self.n1(self.c1(x)), inplace=True)
        out = self.n2(self.c2(out))
        out += x
        return out


class ResnetGenerator(nn.Module):
    def __init__(self, ch=4, n=2):
        super().__init__()
        body = [nn.Conv2d(1, ch, 3, padding=1), nn.ReLU(True)]
        body += [ResBlock(ch) for _ in range(n)]
        body += [nn.Conv2d(ch, 1, 3, padding=1), nn.Tanh()]
        self.model = nn.Sequential(*body)

    def forward(self, x):
        return self.model(x)


class PatchD(nn.Module):
    def __init__(self, ch=4):
        super().__init__()
        self.model = nn.Sequential(
            nn.Conv2d(1, ch, 4, 2, 1), nn.LeakyReLU(0.2, True), nn.Conv2d(ch, 1, 4, 2, 1))

    def forward(self, x):
        return self.model(x)


def init_weights(net, gain=0.02):
    def fn(m):
        if hasattr(m, "weight") and m.weight is not None and "Conv" in type(m).__name__:
            nn.init.normal_(m.weight.data, 0.0, gain)
            if m.bias is not None:
                nn.init.constant_(m.bias.data, 0.0)
    net.apply(fn)
    return net
