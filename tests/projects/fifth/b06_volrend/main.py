import torch

torch.set_num_threads(1)
torch.manual_seed(0)

from volrend import VolumeRenderer

r = VolumeRenderer(method="scan")
o = r(torch.zeros(3, 3), torch.randn(3, 3))
(o["rgb"].sum() + o["depth"].sum()).backward()
print("ok")
