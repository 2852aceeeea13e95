import torch

torch.set_num_threads(1)
torch.manual_seed(0)

from textclf import TextClassifier

m = TextClassifier({"vocab": 9, "classes": 2, "embed": {"pad_mode": "zero_row"}})
m(torch.tensor([[1, 2, 3, 0], [4, 5, 6, 7]])).sum().backward()
print("ok")
