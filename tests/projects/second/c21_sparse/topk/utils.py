import torch


@torch.no_grad()
def normalise_decoder_(sae):
    sae.dec.div_(sae.dec.norm(dim=1, keepdim=True))


@torch.no_grad()
def remove_parallel_grad_(sae):
    g = sae.dec.grad
    g.sub_((g * sae.dec).sum(1, keepdim=True) * sae.dec)
