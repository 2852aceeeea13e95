"""Channel pruning by Taylor score, with hooks."""
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(42)
torch.set_num_threads(1)


class ChannelMask:
    def __init__(self, module, channels):
        self.mask = torch.ones(channels)
        self.score = torch.zeros(channels)
        self.handle = module.register_forward_hook(self.hook)

    def hook(self, module, inputs, output):
        shape = (1, -1) + (1,) * (output.dim() - 2)
        output.mul_(self.mask.view(shape))
        if output.requires_grad:
            act = output.detach().clone()

            def on_grad(g):
                g = g.clone()
                t = (g * act).transpose(0, 1).flatten(1).sum(1).abs_()
                self.score.mul_(0.9).add_(t, alpha=0.1)
                g.clamp_(-0.05, 0.05)
                return g

            output.register_hook(on_grad)
        return output

    def prune(self, k):
        s = self.score.clone()
        s[self.mask == 0] = float("inf")
        self.mask = self.mask.clone()
        self.mask[s.argsort()[:k]] = 0


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 8, 3, padding=1)
        self.conv2 = nn.Conv2d(8, 12, 3, padding=1)
        self.fc1 = nn.Linear(12, 16)
        self.fc2 = nn.Linear(16, 2)

    def forward(self, x):
        x = F.relu(self.conv1(x), inplace=True)
        x = F.max_pool2d(x, 2)
        x = F.relu(self.conv2(x), inplace=True)
        x = x.mean((2, 3))
        x = F.relu_(self.fc1(x))
        return self.fc2(x)


def data(n):
    x = torch.rand(n, 1, 8, 8)
    y = torch.randint(0, 2, (n,))
    x[y == 1, :, ::2] += 0.7
    x -= x.mean((1, 2, 3), keepdim=True)
    return x, y


net = Net()
masks = [ChannelMask(net.conv1, 8), ChannelMask(net.conv2, 12), ChannelMask(net.fc1, 16)]
opt = torch.optim.SGD(net.parameters(), lr=0.2, momentum=0.9)
for rnd in range(3):
    for it in range(5):
        x, y = data(16)
        loss = F.cross_entropy(net(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
    for m in masks:
        m.prune(2)
    alive = [int(m.mask.sum()) for m in masks]
    print(rnd, round(loss.item(), 4), alive)
for m in masks:
    m.handle.remove()
