import torch

torch.set_num_threads(1)
torch.manual_seed(0)

from s2sloss import build_criterion

model = torch.nn.Linear(4, 6)
c = build_criterion("label_smoothed_cross_entropy", 1, label_smoothing=0.1, exclude_pad=True)
c(model, {"src": torch.randn(2, 3, 4), "target": torch.tensor([[2, 3, 1], [4, 5, 0]])})[0].backward()
print("ok")
