import torch
import torch.nn as nn
import torch.nn.functional as F


def double_conv(cin, cout):
    return nn.Sequential(
        nn.Conv2d(cin, cout, 3, padding=1), nn.BatchNorm2d(cout), nn.ReLU(inplace=True),
        nn.Conv2d(cout, cout, 3, padding=1), nn.BatchNorm2d(cout), nn.ReLU(inplace=True),
    )


class Up(nn.Module):
    def __init__(self, cin, cskip, cout, mode):
        super().__init__()
        self.mode = mode
        if mode == "concat":
            self.up = nn.ConvTranspose2d(cin, cin // 2, 2, stride=2)
            self.conv = double_conv(cin // 2 + cskip, cout)
        else:
            self.up = nn.ConvTranspose2d(cin, cskip, 2, stride=2)
            self.conv = double_conv(cskip, cout)

    def forward(self, x, skip):
        x = self.up(x)
        if self.mode == "concat":
            x = torch.cat([skip, x], dim=1)
            x = F.dropout2d(x, 0.1, self.training, inplace=True)
        else:
            x += skip
        return self.conv(x)


class UNet(nn.Module):
    def __init__(self, nin=1, ncls=2, w=4):
        super().__init__()
        self.d1 = double_conv(nin, w)
        self.d2 = double_conv(w, 2 * w)
        self.d3 = double_conv(2 * w, 4 * w)
        self.u2 = Up(4 * w, 2 * w, 2 * w, "concat")
        self.u1 = Up(2 * w, w, w, "sum")
        self.out = nn.Conv2d(w, ncls, 1)
        self.deep = nn.Conv2d(2 * w, ncls, 1)

    def forward(self, x):
        s1 = self.d1(x)
        s2 = self.d2(F.max_pool2d(s1, 2))
        z = self.d3(F.max_pool2d(s2, 2))
        h2 = self.u2(z, s2)
        h1 = self.u1(h2, s1)
        main = self.out(h1)
        aux = F.interpolate(self.deep(h2), scale_factor=2, mode="nearest")
        main += aux.mul_(0.4)
        return main


def dice(logits, target, eps=1.0):
    prob = logits.softmax(1)[:, 1]
    inter = (prob * target).sum((1, 2))
    den = prob.sum((1, 2))
    den += target.sum((1, 2))
    den += eps
    return 1 - ((2 * inter).add_(eps) / den).mean()


def make(n):
    img = torch.zeros(n, 1, 16, 16)
    for i in range(n):
        y, x = torch.randint(2, 9, (2,)).tolist()
        img[i, 0, y:y + 5, x:x + 5] = 1
    target = img[:, 0].clone()
    img += 0.2 * torch.randn_like(img)
    return img, target


if __name__ == "__main__":
    torch.manual_seed(23)
    torch.set_num_threads(1)
    net = UNet()
    opt = torch.optim.Adam(net.parameters(), lr=5e-3)
    for it in range(6):
        img, tgt = make(6)
        logits = net(img)
        loss = F.cross_entropy(logits, tgt.long())
        loss += dice(logits, tgt)
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(it, round(loss.item(), 4))
