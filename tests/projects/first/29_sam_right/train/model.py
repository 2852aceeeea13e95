import torch.nn as nn


class Basic(nn.Module):
    def __init__(self, ch):
        super().__init__()
        self.conv1, self.bn1 = nn.Conv2d(ch, ch, 3, padding=1, bias=False), nn.BatchNorm2d(ch)
        self.conv2, self.bn2 = nn.Conv2d(ch, ch, 3, padding=1, bias=False), nn.BatchNorm2d(ch)
        self.relu = nn.ReLU(inplace=True)
        self.drop = nn.Dropout(0.1, inplace=True)

    def forward(self, x):
        identity = x
        out = self.relu(self.bn1(self.conv1(x)))
        out = self.bn2(self.conv2(out))
        out = self.drop(out)
        out += identity
        return self.relu(out)


def resnet(ch=8, n=2, classes=4):
    return nn.Sequential(
        nn.Conv2d(3, ch, 3, padding=1), nn.BatchNorm2d(ch), nn.ReLU(inplace=True),
        *[Basic(ch) for _ in range(n)],
        nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(ch, classes))
