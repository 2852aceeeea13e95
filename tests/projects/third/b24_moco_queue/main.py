import argparse

import torch
import torch.nn as nn

from moco.builder import MoCo

parser = argparse.ArgumentParser(description="MoCo toy")
parser.add_argument("--epochs", default=2, type=int)
parser.add_argument("-b", "--batch-size", default=16, type=int)
parser.add_argument("--lr", default=0.03, type=float)
parser.add_argument("--moco-k", default=64, type=int)
parser.add_argument("--moco-m", default=0.99, type=float)


def tiny_convnet(num_classes):
    return nn.Sequential(
        nn.Conv2d(3, 8, 3, 2, 1), nn.BatchNorm2d(8), nn.ReLU(inplace=True),
        nn.Conv2d(8, 16, 3, 2, 1), nn.BatchNorm2d(16), nn.ReLU(inplace=True),
        nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(16, num_classes))


class TwoCrops:
    def __init__(self, noise=0.1):
        self.noise = noise

    def aug(self, x):
        x = x.clone()
        if torch.rand(1) < 0.5:
            x = x.flip(-1)
        x += self.noise * torch.randn_like(x)
        return x

    def __call__(self, x):
        return self.aug(x), self.aug(x)


def main():
    args = parser.parse_args()
    torch.manual_seed(0)
    torch.set_num_threads(1)
    model = MoCo(tiny_convnet, K=args.moco_k, m=args.moco_m)
    criterion = nn.CrossEntropyLoss()
    optimizer = torch.optim.SGD(model.encoder_q.parameters(), args.lr, momentum=0.9, weight_decay=1e-4)
    images, crops = torch.rand(64, 3, 8, 8), TwoCrops()
    for epoch in range(args.epochs):
        for i in range(0, 64, args.batch_size):
            output, target = model(*crops(images[i:i + args.batch_size]))
            loss = criterion(output, target)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print("epoch", epoch, loss.item())


if __name__ == "__main__":
    main()
