import torch
import torch.nn as nn
import torch.nn.functional as F


class Scalar(nn.Module):
    def __init__(self, kind, init):
        super().__init__()
        self.kind = kind
        self.value = nn.Parameter(torch.tensor(float(init)))

    def extra_repr(self):
        return self.kind

    def forward(self, x):
        return x + self.value if self.kind == "bias" else x * self.value


class PreActBlock(nn.Module):
    """Normaliser-free pre-activation block."""

    expansion = 1

    def __init__(self, cin, cout, stride=1):
        super().__init__()
        self.conv1 = nn.Conv2d(cin, cout, 3, stride, 1, bias=False)
        self.conv2 = nn.Conv2d(cout, cout, 3, 1, 1, bias=False)
        self.b1, self.b2 = Scalar("bias", 0), Scalar("bias", 0)
        self.gain = Scalar("scale", 1)
        self.project = None
        if stride != 1 or cin != cout:
            self.project = nn.Conv2d(cin, cout, 1, stride, bias=False)

    def forward(self, x):
        identity = x if self.project is None else self.project(x)
        out = F.relu(x, inplace=True)  # BUG
        out = self.conv1(out)
        out = F.relu(self.b1(out), inplace=True)
        out = self.gain(self.conv2(out))
        return self.b2(out) + identity


class PreActNet(nn.Module):
    def __init__(self, widths=(8, 16), blocks=(1, 2), num_classes=4):
        super().__init__()
        self.stem = nn.Conv2d(3, widths[0], 3, 1, 1, bias=False)
        stages, cin = [], widths[0]
        for i, (w, n) in enumerate(zip(widths, blocks)):
            layers = []
            for j in range(n):
                layers.append(PreActBlock(cin, w, stride=2 if i > 0 and j == 0 else 1))
                cin = w
            stages.append(nn.Sequential(*layers))
        self.stages = nn.Sequential(*stages)
        self.fc = nn.Linear(cin, num_classes)
        self._reset()

    def _reset(self):
        depth = sum(1 for m in self.modules() if isinstance(m, PreActBlock))
        for m in self.modules():
            if isinstance(m, PreActBlock):
                std = (2 / (m.conv1.weight.shape[0] * 9)) ** 0.5 * depth ** -0.5
                m.conv1.weight.data.normal_(0, std)
                m.conv2.weight.data.zero_()
        self.fc.weight.data.zero_()
        self.fc.bias.data.zero_()

    def forward(self, x):
        x = self.stages(self.stem(x))
        return self.fc(F.relu(x).mean((2, 3)))


class CosineWarmup(torch.optim.lr_scheduler.LambdaLR):
    def __init__(self, opt, warm, total):
        def fn(i):
            if i < warm:
                return (i + 1) / warm
            return 0.5 * (1 + torch.cos(torch.tensor((i - warm) / (total - warm) * 3.14159)).item())
        super().__init__(opt, fn)


def fit(model, loader, epochs=1):
    opt = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9, nesterov=True)
    sched = CosineWarmup(opt, 2, 10)
    for _ in range(epochs):
        for img, label in loader:
            opt.zero_grad()
            F.cross_entropy(model(img), label).backward()
            opt.step()
            sched.step()


# --- driver ---
torch.manual_seed(0)
fit(PreActNet(), [(torch.randn(3, 3, 8, 8), torch.randint(4, (3,)))])
