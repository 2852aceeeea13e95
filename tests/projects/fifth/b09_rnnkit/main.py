import torch

torch.set_num_threads(1)
torch.manual_seed(0)

from rnnkit import RNN

m = RNN(3, 4, num_layers=2, bidirectional=True)
m(torch.randn(2, 5, 3), torch.tensor([5, 3])).sum().backward()
print("ok")
