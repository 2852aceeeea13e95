"""Pre-activation residual network for small images, normalisation-free variant with scaled branches."""
import torch
import torch.nn as nn
import torch.nn.functional as F

ACTIVATIONS = {
    "relu": lambda: nn.ReLU(inplace=True),
    "leaky": lambda: nn.LeakyReLU(0.1, inplace=True),
    "elu": lambda: nn.ELU(inplace=True),
}


class ScaledStdConv2d(nn.Conv2d):
    """Convolution with standardised weights and a learned gain."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.gain = nn.Parameter(torch.ones(self.out_channels, 1, 1, 1))

    def forward(self, x):
        w = self.weight
        std, mean = torch.std_mean(w, dim=(1, 2, 3), keepdim=True)
        w = self.gain * (w - mean) / (std * w[0].numel() ** 0.5 + 1e-5)
        return F.conv2d(x, w, self.bias, self.stride, self.padding)


class PreActBlock(nn.Module):
    def __init__(self, c_in, c_out, stride, act, alpha=0.2):
        super().__init__()
        self.alpha = alpha
        self.act1 = ACTIVATIONS[act]()
        self.conv1 = ScaledStdConv2d(c_in, c_out, 3, stride, 1)
        self.act2 = ACTIVATIONS[act]()
        self.conv2 = ScaledStdConv2d(c_out, c_out, 3, 1, 1)
        self.project = None
        if stride != 1 or c_in != c_out:
            self.project = ScaledStdConv2d(c_in, c_out, 1, stride)

    def residual(self, x):
        h = self.conv1(self.act1(x))  # BUG
        return self.conv2(self.act2(h))

    def forward(self, x):
        shortcut = x.clone() if self.project is None else self.project(x)
        return shortcut + self.alpha * self.residual(x)


class PreActNet(nn.Module):
    def __init__(self, plan=((8, 1), (16, 2), (16, 1)), classes=5, act="leaky"):
        super().__init__()
        width = plan[0][0]
        self.stem = nn.Conv2d(3, width, 3, padding=1)
        blocks = []
        for out, stride in plan:
            blocks.append(PreActBlock(width, out, stride, act))
            width = out
        self.blocks = nn.Sequential(*blocks)
        self.final_act = ACTIVATIONS[act]()
        self.head = nn.Linear(width, classes)

    def forward(self, x):
        x = self.final_act(self.blocks(self.stem(x)))
        return self.head(x.mean(dim=(2, 3)))


def mixup(x, y, classes, alpha=0.4):
    lam = torch.distributions.Beta(alpha, alpha).sample().item()
    perm = torch.randperm(x.size(0))
    target = F.one_hot(y, classes).float()
    return lam * x + (1 - lam) * x[perm], lam * target + (1 - lam) * target[perm]


def run_epoch(net, opt, loader, classes):
    net.train()
    running = 0.0
    for i, (x, y) in enumerate(loader, 1):
        x, target = mixup(x, y, classes)
        loss = F.cross_entropy(net(x), target, label_smoothing=0.05)
        opt.zero_grad(set_to_none=True)
        loss.backward()
        opt.step()
        running += (loss.item() - running) / i
    return running


# --- driver ---
torch.manual_seed(3)
net = PreActNet()
opt = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9, nesterov=True, weight_decay=1e-4)
images = torch.utils.data.TensorDataset(torch.randn(16, 3, 10, 10), torch.randint(0, 5, (16,)))
print(run_epoch(net, opt, torch.utils.data.DataLoader(images, batch_size=8), 5))
