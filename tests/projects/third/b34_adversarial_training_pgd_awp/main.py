import argparse
import copy

import torch
import torch.nn as nn
import torch.nn.functional as F

from attacks import pgd_linf
from awp import AdvWeightPerturb


class SmallCNN(nn.Module):
    def __init__(self, n_cls=4):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(inplace=True), nn.MaxPool2d(2),
            nn.Conv2d(8, 16, 3, padding=1), nn.BatchNorm2d(16), nn.ReLU(inplace=True))
        self.fc = nn.Linear(16, n_cls)

    def forward(self, x):
        return self.fc(self.features(x).mean((2, 3)))


def toy_images(n):
    y = torch.randint(0, 4, (n,))
    x = torch.rand(n, 3, 8, 8)
    x *= 0.5
    for img, c in zip(x, y.tolist()):
        img[:, (c // 2) * 4:(c // 2) * 4 + 4, (c % 2) * 4:(c % 2) * 4 + 4] += 0.4
    return x, y


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--epochs', type=int, default=3)
    parser.add_argument('--awp-gamma', type=float, default=0.01)
    parser.add_argument('--awp-warmup', type=int, default=1)
    args = parser.parse_args()
    torch.manual_seed(0)
    torch.set_num_threads(1)
    model = SmallCNN()
    awp = AdvWeightPerturb(model, copy.deepcopy(model), gamma=args.awp_gamma)
    opt = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9, weight_decay=5e-4)
    for epoch in range(args.epochs):
        for _ in range(2):
            x, y = toy_images(16)
            x_adv = pgd_linf(model, x, y)
            model.train()
            use_awp = epoch >= args.awp_warmup
            loss = F.cross_entropy(model(x_adv), y)
            if use_awp:
                diff = awp.calc(x_adv, y)
                awp.perturb(diff)
            opt.zero_grad()
            loss.backward()
            if use_awp:
                awp.restore(diff)
            opt.step()
        print('epoch', epoch, 'robust loss %.4f' % loss.item())


if __name__ == '__main__':
    main()
