import functools
import torch
import torch.nn as nn
import torch.nn.functional as F


def kaiming_(module):
    for m in module.modules():
        if isinstance(m, nn.Conv2d):
            nn.init.kaiming_normal_(m.weight, mode="fan_out")
        elif isinstance(m, nn.BatchNorm2d):
            m.weight.data.fill_(1)
            m.bias.data.zero_()
    return module


conv3x3 = functools.partial(nn.Conv2d, kernel_size=3, padding=1, bias=False)


class PreActUnit(nn.Module):
    """BN-ReLU-conv twice; shortcut taken from the raw input."""

    def __init__(self, cin, cout, stride=1, dropout=0.0):
        super().__init__()
        self.bn1 = nn.BatchNorm2d(cin)
        self.conv1 = conv3x3(cin, cout, stride=stride)
        self.bn2 = nn.BatchNorm2d(cout)
        self.conv2 = conv3x3(cout, cout)
        self.dropout = dropout
        self.proj = None
        if stride != 1 or cin != cout:
            self.proj = nn.Conv2d(cin, cout, 1, stride=stride, bias=False)

    def shortcut(self, x):
        x = F.relu(x, inplace=True)  # BUG
        return self.proj(x) if self.proj is not None else x

    def forward(self, x):
        out = self.conv1(F.relu(self.bn1(x), inplace=True))
        out = F.relu(self.bn2(out), inplace=True)
        if self.dropout > 0:
            out = F.dropout(out, self.dropout, self.training)
        return self.conv2(out) + self.shortcut(x)


class WideNet(nn.Module):
    def __init__(self, depth=10, widen=1, classes=5, base=4):
        super().__init__()
        assert (depth - 4) % 6 == 0
        n = (depth - 4) // 6
        widths = [base, base * widen, 2 * base * widen]
        self.stem = conv3x3(3, widths[0])
        groups, cin = [], widths[0]
        for i, w in enumerate(widths[1:]):
            for j in range(n):
                groups.append(PreActUnit(cin, w, stride=2 if i and j == 0 else 1))
                cin = w
        self.groups = nn.Sequential(*groups)
        self.bn = nn.BatchNorm2d(cin)
        self.fc = nn.Linear(cin, classes)
        kaiming_(self)

    def forward(self, x):
        h = self.groups(self.stem(x))
        h = F.relu(self.bn(h), inplace=True)
        return self.fc(F.adaptive_avg_pool2d(h, 1).flatten(1))


def train_one(model, opt, images, labels, smoothing=0.1):
    model.train()
    loss = F.cross_entropy(model(images), labels, label_smoothing=smoothing)
    opt.zero_grad()
    loss.backward()
    opt.step()
    return loss.item()


# --- driver ---
torch.manual_seed(23)
net = WideNet()
opt = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9, nesterov=True)
train_one(net, opt, torch.randn(4, 3, 8, 8), torch.randint(0, 5, (4,)))
