import torch

torch.set_num_threads(1)
torch.manual_seed(0)

from densedet import build_head

h = build_head(dict(type="FCOSHead", num_classes=3, in_channels=4, norm_on_bbox=True))
cls, box, ctr = h([torch.randn(1, 4, 8, 8), torch.randn(1, 4, 4, 4)])
(h.decode_all(box).sum() + sum(c.sum() for c in cls) + sum(c.sum() for c in ctr)).backward()
print("ok")
