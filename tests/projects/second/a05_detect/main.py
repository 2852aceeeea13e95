import torch
from torch import nn

from det import build_head, detection_loss

CFG = {
    "backbone": {"width": 8},
    "head": {"type": "yolo", "in_channels": 8, "num_anchors": 2},
    "lr": 0.01,
}


class Detector(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.backbone = nn.Conv2d(3, cfg["backbone"]["width"], 3, stride=2, padding=1)
        self.head = build_head(cfg["head"])

    def forward(self, img):
        return self.head(self.backbone(img).relu())


if __name__ == "__main__":
    model = Detector(CFG)
    opt = torch.optim.SGD(model.parameters(), lr=CFG["lr"])
    for _ in range(2):
        pred = model(torch.randn(2, 3, 16, 16))
        loss = detection_loss(pred, torch.rand_like(pred))
        opt.zero_grad()
        loss.backward()
        opt.step()
