import torch.nn.functional as F


def hinge_d(critic, real, fake):
    return F.relu(1 - critic(real)).mean() + F.relu(1 + critic(fake)).mean()


def hinge_g(critic, fake):
    return -critic(fake).mean()
