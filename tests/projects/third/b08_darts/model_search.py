import torch
import torch.nn as nn

PRIMITIVES = {
    'none': lambda C: Zero(),
    'skip': lambda C: nn.Identity(),
    'avg_pool': lambda C: nn.AvgPool2d(3, 1, 1),
    'conv_3x3': lambda C: nn.Sequential(nn.Conv2d(C, C, 3, padding=1, bias=False), nn.BatchNorm2d(C),
                                        nn.ReLU(inplace=True)),
}


class Zero(nn.Module):
    def forward(self, x):
        return x.mul(0.)


class MixedOp(nn.Module):
    def __init__(self, C):
        super().__init__()
        self.ops = nn.ModuleList(build(C) for build in PRIMITIVES.values())

    def forward(self, x, weights):
        # independent (sigmoid) gating with a residual logit, see FairDARTS
        return sum((torch.sigmoid(w) + self.scale(w)) * op(x) for w, op in zip(weights, self.ops))

    @staticmethod
    def scale(w):
        return 1e-2 * w * w


class Network(nn.Module):
    def __init__(self, C, num_classes, layers):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, C, 3, padding=1, bias=False), nn.BatchNorm2d(C))
        self.cells = nn.ModuleList(MixedOp(C) for _ in range(layers))
        self.classifier = nn.Linear(C, num_classes)
        self.alphas = nn.Parameter(1e-3 * torch.randn(layers, len(PRIMITIVES)))

    def arch_parameters(self):
        return [self.alphas]

    def weight_parameters(self):
        return [p for n, p in self.named_parameters() if n != 'alphas']

    def forward(self, x):
        s = self.stem(x)
        for i, cell in enumerate(self.cells):
            s = cell(s, self.alphas[i])
        return self.classifier(s.mean((2, 3)))

    def genotype(self):
        names = list(PRIMITIVES)
        return [names[i] for i in self.alphas.argmax(1).tolist()]
