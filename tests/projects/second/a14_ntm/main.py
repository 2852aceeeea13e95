import torch
import torch.nn.functional as F

from ntm import NTM

torch.manual_seed(1)
net = NTM(4)
opt = torch.optim.RMSprop(net.parameters(), 1e-3)
for i in range(2):
    seq = torch.bernoulli(torch.full((3, 5, 4), 0.5))
    loss = F.binary_cross_entropy_with_logits(net(seq), seq)
    opt.zero_grad()
    loss.backward()
    opt.step()
