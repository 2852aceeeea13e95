import torch
import torch.nn as nn
import torch.nn.functional as F

PRIMITIVES = {}


def primitive(name):
    def deco(fn):
        PRIMITIVES[name] = fn
        return fn
    return deco


@primitive("skip")
def _skip(c):
    return nn.Identity()


@primitive("conv3")
def _conv3(c):
    return nn.Sequential(nn.ReLU(), nn.Conv2d(c, c, 3, padding=1, bias=False), nn.BatchNorm2d(c, affine=False))


@primitive("dil3")
def _dil3(c):
    return nn.Sequential(nn.ReLU(), nn.Conv2d(c, c, 3, padding=2, dilation=2, bias=False), nn.BatchNorm2d(c, affine=False))


@primitive("avg")
def _avg(c):
    return nn.Sequential(nn.AvgPool2d(3, 1, 1, count_include_pad=False), nn.BatchNorm2d(c, affine=False))


def drop_path(x, prob):
    keep = 1.0 - prob
    mask = torch.bernoulli(torch.full((x.size(0), 1, 1, 1), keep))
    x.div_(keep).mul_(mask)  # BUG
    return x


class MixedOp(nn.Module):
    def __init__(self, c, drop=0.0):
        super().__init__()
        self.drop = drop
        self.names = sorted(PRIMITIVES)
        self.ops = nn.ModuleList(PRIMITIVES[n](c) for n in self.names)

    def forward(self, x, weights):
        total = 0
        for op, w in zip(self.ops, weights):
            y = op(x)
            if self.training and self.drop > 0:
                y = drop_path(y, self.drop)
            total = total + w * y
        return total


class Cell(nn.Module):
    def __init__(self, c, nodes, drop):
        super().__init__()
        self.nodes = nodes
        self.edges = nn.ModuleList(MixedOp(c, drop) for n in range(nodes) for _ in range(n + 1))

    def forward(self, x, weights):
        states, k = [x], 0
        for n in range(self.nodes):
            acc = 0
            for s in states:
                acc = acc + self.edges[k](s, weights[k])
                k += 1
            states.append(acc)
        return sum(states[1:])


class SearchNet(nn.Module):
    def __init__(self, c=4, nodes=2, classes=3, drop=0.2):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, c, 3, padding=1), nn.BatchNorm2d(c))
        self.cell = Cell(c, nodes, drop)
        self.head = nn.Linear(c, classes)
        self.alphas = nn.Parameter(1e-3 * torch.randn(len(self.cell.edges), len(PRIMITIVES)))

    def weight_parameters(self):
        return [p for n, p in self.named_parameters() if n != "alphas"]

    def forward(self, x):
        h = self.cell(self.stem(x), self.alphas.softmax(-1))
        return self.head(h.mean((2, 3)))

    def genotype(self):
        names = sorted(PRIMITIVES)
        return [names[i] for i in self.alphas.argmax(-1).tolist()]


def search_step(net, w_opt, a_opt, train, val):
    a_opt.zero_grad()
    F.cross_entropy(net(val[0]), val[1]).backward()
    a_opt.step()
    w_opt.zero_grad()
    loss = F.cross_entropy(net(train[0]), train[1])
    loss.backward()
    nn.utils.clip_grad_norm_(net.weight_parameters(), 5.0)
    w_opt.step()
    return loss.item()


# --- driver ---
torch.manual_seed(0)
net = SearchNet()
w_opt = torch.optim.SGD(net.weight_parameters(), 0.025, momentum=0.9)
a_opt = torch.optim.Adam([net.alphas], 3e-4)
batch = lambda: (torch.randn(4, 3, 8, 8), torch.randint(0, 3, (4,)))
search_step(net, w_opt, a_opt, batch(), batch())
