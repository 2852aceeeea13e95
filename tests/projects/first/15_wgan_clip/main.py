import copy

import torch

from wgan.callbacks import History, WeightClip
from wgan.trainer import WGANTrainer


def reference(D, real, fake):
    loss = D(fake).mean() - D(real).mean()
    return torch.autograd.grad(loss, list(D.parameters()))


if __name__ == "__main__":
    torch.manual_seed(0)
    hist = History()
    tr = WGANTrainer(callbacks=[WeightClip(0.05), hist])
    real = torch.randn(16, 6)
    with torch.no_grad():
        fake = tr.sample(16)
    D0 = copy.deepcopy(tr.D)
    tr.critic_step(real, fake)
    good = reference(D0, real, fake)
    assert any(not torch.allclose(a, b, atol=1e-8) for a, b in zip(tr.d_grads, good))
    tr.gen_step(16)
    print("silently wrong", hist.values)
