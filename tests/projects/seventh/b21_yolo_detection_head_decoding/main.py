import torch
import torch.nn as nn
from yolo import Detect
from yolo.loss import compute_loss

torch.manual_seed(0)
backbone = nn.Sequential(nn.Conv2d(3, 8, 3, 2, 1), nn.SiLU(), nn.Conv2d(8, 8, 3, 2, 1), nn.SiLU(),
                         nn.Conv2d(8, 8, 3, 2, 1), nn.SiLU())
model = nn.Sequential(backbone, Detect())
opt = torch.optim.SGD(model.parameters(), lr=1e-3, momentum=0.937)
for i in range(4):
    imgs = torch.rand(4, 3, 32, 32)
    boxes = torch.cat([8 + 16 * torch.rand(4, 2), 6 + 10 * torch.rand(4, 2)], 1)
    labels = torch.randint(0, 3, (4,))
    loss = compute_loss(model(imgs), boxes, labels)
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(i, loss.item())
