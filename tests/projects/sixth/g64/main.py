from __future__ import division

import torch
import torch.nn as nn

from yolo import YOLOLayer


class Darknet(nn.Module):
    def __init__(self, nc=2):
        super(Darknet, self).__init__()
        na = 2
        def cbl(i, o):
            return nn.Sequential(nn.Conv2d(i, o, 3, 1, 1, bias=False), nn.BatchNorm2d(o), nn.LeakyReLU(0.1, inplace=True))
        self.c1, self.c2, self.c3 = cbl(3, 8), cbl(8, 12), cbl(12, 12)
        self.pool = nn.MaxPool2d(2)
        self.head = nn.Conv2d(12, na * (5 + nc), 1)
        self.yolo = YOLOLayer([(1.0, 1.0), (2.0, 2.0)], nc, 4)

    def forward(self, x, boxes=None):
        x = self.pool(self.c1(x))
        x = self.pool(self.c2(x))
        y = self.c3(x)
        # the inplace LeakyReLU keeps its output for backward, so no += here
        y = y + x
        return self.yolo(self.head(y), boxes)


def scene(n):
    img = torch.rand(n, 3, 16, 16) * 0.2
    rows = []
    for i in range(n):
        c, w = int(torch.randint(0, 2, ())), int(torch.randint(3, 8, ()))
        y, x = torch.randint(0, 16 - w, (2,)).tolist()
        img[i, c, y:y + w, x:x + w] = 1.0
        rows.append([i, c, (x + w / 2) / 16, (y + w / 2) / 16, w / 16, w / 16])
    return img, torch.tensor(rows, dtype=torch.float)


torch.manual_seed(64)
torch.set_num_threads(1)
model = Darknet()
optimizer = torch.optim.SGD(model.parameters(), lr=1e-2, momentum=0.9)
accumulate = 2
optimizer.zero_grad()
mloss = 0.0
for i in range(10):
    for g in optimizer.param_groups:
        g['lr'] = 1e-2 * min(1, (i + 1) / 5)
    imgs, boxes = scene(6)
    io, loss = model(imgs, boxes)
    loss.backward()
    if (i + 1) % accumulate == 0:
        optimizer.step()
        optimizer.zero_grad()
    mloss = (mloss * i + loss.item()) / (i + 1)
    if i % 4 == 3:
        print(i, round(mloss, 4), tuple(io.shape))
