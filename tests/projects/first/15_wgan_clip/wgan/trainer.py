import torch

from .callbacks import CallbackList
from .nets import critic, generator


class WGANTrainer:
    def __init__(self, z=4, d=6, h=16, callbacks=()):
        self.z = z
        self.G, self.D = generator(z, d, h), critic(d, h)
        self.opt_d = torch.optim.RMSprop(self.D.parameters(), lr=5e-5)
        self.opt_g = torch.optim.RMSprop(self.G.parameters(), lr=5e-5)
        self.cbs = CallbackList(callbacks)
        self.last = None

    def sample(self, n):
        return self.G(torch.randn(n, self.z))

    def critic_step(self, real, fake):
        loss = self.D(fake).mean() - self.D(real).mean()
        self.cbs.fire("on_forward_end", self)
        self.opt_d.zero_grad()
        loss.backward()
        self.d_grads = [p.grad.clone() for p in self.D.parameters()]
        self.opt_d.step()
        self.last = loss.item()
        self.cbs.fire("on_step_end", self)

    def gen_step(self, n):
        loss = -self.D(self.sample(n)).mean()
        self.opt_g.zero_grad()
        loss.backward()
        self.opt_g.step()
