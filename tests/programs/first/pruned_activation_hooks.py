"""Channel-pruning study: forward hooks silence channels while fine-tuning."""
import contextlib

import torch
import torch.nn as nn
import torch.nn.functional as F


def build_cnn(widths=(8, 16), n_classes=5):
    layers, c = [], 1
    for i, w in enumerate(widths):
        layers += [(f'conv{i}', nn.Conv2d(c, w, 3, padding=1)),
                   (f'bn{i}', nn.BatchNorm2d(w)),
                   (f'act{i}', nn.ReLU()),
                   (f'pool{i}', nn.MaxPool2d(2))]
        c = w
    net = nn.Sequential()
    for name, m in layers:
        net.add_module(name, m)
    net.add_module('gap', nn.AdaptiveAvgPool2d(1))
    net.add_module('flat', nn.Flatten())
    net.add_module('fc', nn.Linear(c, n_classes))
    return net


class ChannelStats:
    """Accumulates the mean activation of every channel."""

    def __init__(self, n):
        self.total = torch.zeros(n)
        self.calls = 0

    def __call__(self, module, inputs, output):
        self.total += output.detach().mean(dim=(0, 2, 3))
        self.calls += 1

    def weakest(self, ratio):
        k = max(1, int(ratio * self.total.numel()))
        return self.total.topk(k, largest=False).indices


class SilenceChannels:
    def __init__(self, channels):
        self.channels = channels

    def __call__(self, module, inputs, output):
        output[:, self.channels] = 0.0  # BUG
        return output


@contextlib.contextmanager
def hooked(net, hooks):
    handles = [net.get_submodule(name).register_forward_hook(h) for name, h in hooks.items()]
    try:
        yield
    finally:
        for h in handles:
            h.remove()


def collect(net, loader, names):
    stats = {n: ChannelStats(net.get_submodule(n.replace('act', 'bn')).num_features) for n in names}
    net.eval()
    with torch.no_grad(), hooked(net, stats):
        for x, _ in loader:
            net(x)
    return stats


def finetune(net, loader, hooks, lr=0.01):
    opt = torch.optim.SGD(net.parameters(), lr=lr, momentum=0.9)
    net.train()
    losses = []
    with hooked(net, hooks):
        for x, y in loader:
            loss = F.cross_entropy(net(x), y)
            opt.zero_grad()
            loss.backward()
            opt.step()
            losses.append(loss.item())
    return losses


def sparsity_report(hooks, stats):
    return {n: h.channels.numel() / stats[n].total.numel() for n, h in hooks.items()}


# --- driver ---
net = build_cnn()
loader = [(torch.randn(4, 1, 16, 16), torch.randint(0, 5, (4,))) for _ in range(2)]
stats = collect(net, loader, ['act0', 'act1'])
hooks = {n: SilenceChannels(s.weakest(0.25)) for n, s in stats.items()}
print(sparsity_report(hooks, stats))
print(finetune(net, loader, hooks))
