import torch

torch.set_num_threads(1)
torch.manual_seed(0)

from ganblocks import HingeGANLoss, ProjectionDiscriminator

net = ProjectionDiscriminator()
HingeGANLoss().d_loss(net, torch.randn(2, 3, 8, 8), torch.randn(2, 3, 8, 8), torch.tensor([0, 1])).backward()
print("ok")
