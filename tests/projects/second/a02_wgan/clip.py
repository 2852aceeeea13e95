import torch


@torch.no_grad()
def clip_weights(module, c):
    for p in module.parameters():
        p.clamp_(-c, c)
