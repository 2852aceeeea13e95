"""Programs that train two networks, each with lines that make torch refuse the second backward, and right ones.

A line with `# bad` stands in the first form alone, one with `# good` in the second.
"""

PROGRAMS = {
    "two networks": """
g, d = G(), D()
og, od = torch.optim.Adam(g.parameters()), torch.optim.Adam(d.parameters())
for x, y in loader():
    fake = d(g(x))
    od.zero_grad()
    (d(y).mean() - fake.mean()).backward(retain_graph=True)
    od.step()
    og.zero_grad()
    loss = -fake.mean()  # bad
    loss = -d(g(x)).mean()  # good
    loss.backward()
    og.step()
""",
    "a function that steps": """
g, d = G(), D()
og, od = torch.optim.Adam(g.parameters()), torch.optim.Adam(d.parameters())
for x, y in loader():
    fake = d(g(x))
    update(od, d(y).mean() - fake.mean(), True)
    loss = -fake.mean()  # bad
    loss = -d(g(x)).mean()  # good
    update(og, loss)
""",
    "a dict of networks": """
nets = nn.ModuleDict({'g': G(), 'd': D()})
opts = {k: torch.optim.Adam(m.parameters()) for k, m in nets.items()}
for x, y in loader():
    fake = nets['d'](nets['g'](x))
    opts['d'].zero_grad()
    (nets['d'](y).mean() - fake.mean()).backward(retain_graph=True)
    opts['d'].step()
    opts['g'].zero_grad()
    loss = -fake.mean()  # bad
    loss = -nets['d'](nets['g'](x)).mean()  # good
    loss.backward()
    opts['g'].step()
""",
    "a class that trains": """
class T:
    def __init__(self):
        self.g, self.d = G(), D()
        self.og = torch.optim.Adam(self.g.parameters())
        self.od = torch.optim.Adam(self.d.parameters())

    def fit(self):
        for x, y in loader():
            self.fake = self.d(self.g(x))
            self.step_d(y)
            self.step_g(x)

    def step_d(self, y):
        self.od.zero_grad()
        loss = self.d(y).mean() - self.fake.mean()
        loss.backward(retain_graph=True)
        self.od.step()

    def step_g(self, x):
        self.og.zero_grad()
        loss = -self.fake.mean()  # bad
        loss = -self.d(self.g(x)).mean()  # good
        loss.backward()
        self.og.step()


T().fit()
""",
    "a scaler of its own": """
g, d = G(), D()
og, od = torch.optim.Adam(g.parameters()), torch.optim.Adam(d.parameters())
scaler = Scaler()
for x, y in loader():
    fake = d(g(x))
    od.zero_grad()
    scaler.scale(d(y).mean() - fake.mean()).backward(retain_graph=True)
    scaler.step(od)
    scaler.update()
    og.zero_grad()
    loss = -fake.mean()  # bad
    loss = -d(g(x)).mean()  # good
    scaler.scale(loss).backward()
    scaler.step(og)
""",
    "a scaler of torch": """
g, d = G(), D()
og, od = torch.optim.Adam(g.parameters()), torch.optim.Adam(d.parameters())
scaler = torch.amp.GradScaler(enabled=False)
for x, y in loader():
    fake = d(g(x))
    od.zero_grad()
    scaler.scale(d(y).mean() - fake.mean()).backward(retain_graph=True)
    scaler.step(od)
    og.zero_grad()
    loss = -fake.mean()  # bad
    loss = -d(g(x)).mean()  # good
    scaler.scale(loss).backward()
    scaler.step(og)
""",
    "parameters of two networks": """
g, d, e = G(), D(), G()
og = torch.optim.Adam(itertools.chain(g.parameters(), e.parameters()))
od = torch.optim.Adam(d.parameters())
for x, y in loader():
    fake = d(g(e(x)))
    od.zero_grad()
    (d(y).mean() - fake.mean()).backward(retain_graph=True)
    od.step()
    og.zero_grad()
    loss = -fake.mean()  # bad
    loss = -d(g(e(x))).mean()  # good
    loss.backward()
    og.step()
""",
    "groups of parameters": """
g, d = G(), D()
og = torch.optim.Adam([{'params': g.parameters(), 'lr': 0.1}])
od = torch.optim.Adam([{'params': list(d.parameters())}])
for x, y in loader():
    fake = d(g(x))
    od.zero_grad()
    (d(y).mean() - fake.mean()).backward(retain_graph=True)
    od.step()
    og.zero_grad()
    loss = -fake.mean()  # bad
    loss = -d(g(x)).mean()  # good
    loss.backward()
    og.step()
""",
    "an optimizer by name": """
g, d = G(), D()
name = 'Adam'
og = getattr(torch.optim, name)(g.parameters(), lr=0.1)
od = getattr(torch.optim, name)(filter(lambda p: p.requires_grad, d.parameters()), lr=0.1)
for x, y in loader():
    fake = d(g(x))
    od.zero_grad()
    (d(y).mean() - fake.mean()).backward(retain_graph=True)
    od.step()
    og.zero_grad()
    loss = -fake.mean()  # bad
    loss = -d(g(x)).mean()  # good
    loss.backward()
    og.step()
""",
    "a list of optimizers": """
g, d = G(), D()
opts = [torch.optim.Adam(m.parameters()) for m in (g, d)]
for x, y in loader():
    fake = d(g(x))
    for o in opts:
        o.zero_grad()
    (d(y).mean() - fake.mean()).backward(retain_graph=True)
    for o in opts:
        o.step()
    loss = -fake.mean()  # bad
    loss = -d(g(x)).mean()  # good
    loss.backward()
""",
    "a closure": """
g, d = G(), D()
og, od = torch.optim.Adam(g.parameters()), torch.optim.LBFGS(d.parameters(), max_iter=2)
for x, y in loader():
    fake = d(g(x))
    def closure():
        od.zero_grad()
        loss = d(y).mean() - d(g(x).detach()).mean()
        loss.backward()
        return loss
    od.step(closure)
    og.zero_grad()
    loss = -fake.mean()  # bad
    loss = -d(g(x)).mean()  # good
    loss.backward()
    og.step()
""",
    "a state that goes on": """
rnn = nn.GRUCell(4, 8)
head = nn.Linear(8, 4)
opt = torch.optim.SGD([*rnn.parameters(), *head.parameters()], lr=0.1)
h = torch.zeros(3, 8)
for x, y in loader():
    h = rnn(x, h)
    loss = F.mse_loss(head(h), y)
    opt.zero_grad()
    loss.backward(retain_graph=True)
    opt.step()
    h = h.detach()  # good
""",
    "an actor and a critic": """
pi, q = G(), D()
opi, oq = torch.optim.Adam(pi.parameters()), torch.optim.Adam(q.parameters())
for x, y in loader():
    a = pi(x)
    v = q(a)
    adv = (y.sum(1, keepdim=True) - v)
    critic = adv.pow(2).mean()
    actor = -(a.sum(1, keepdim=True) * adv).mean()  # bad
    actor = -(a.sum(1, keepdim=True) * adv.detach()).mean()  # good
    opi.zero_grad()
    actor.backward(retain_graph=True)
    opi.step()
    oq.zero_grad()
    critic.backward()  # bad
    (y.sum(1, keepdim=True) - q(a.detach())).pow(2).mean().backward()  # good
    oq.step()
""",
    "an average of weights": """
g, d = G(), D()
og = torch.optim.Adam(g.parameters())
for x, y in loader():
    out = d(g(x))
    loss = out.mean()
    with torch.no_grad():  # bad
        for p in d.parameters():  # bad
            p.mul_(0.9)  # bad
    og.zero_grad()
    loss.backward()
    og.step()
    with torch.no_grad():  # good
        for p in d.parameters():  # good
            p.mul_(0.9)  # good
""",
    "clamped weights": """
g, d = G(), D()
og, od = torch.optim.RMSprop(g.parameters()), torch.optim.RMSprop(d.parameters())
for x, y in loader():
    fake = g(x)
    out = d(fake)
    od.zero_grad()
    (d(y).mean() - out.mean()).backward(retain_graph=True)
    for p in d.parameters():  # bad
        p.data.clamp_(-0.01, 0.01)  # bad
    od.step()  # bad
    og.zero_grad()
    loss = -out.mean()
    loss.backward()
    og.step()
""",
    "loaded weights": """
g, d = G(), D()
og = torch.optim.Adam(g.parameters())
saved = {k: v.clone() for k, v in d.state_dict().items()}
for x, y in loader():
    out = d(g(x))
    d.load_state_dict(saved)  # bad
    loss = out.mean()
    og.zero_grad()
    loss.backward()
    og.step()
    d.load_state_dict(saved)  # good
""",
    "a sum of losses": """
g = G()
og = torch.optim.Adam(g.parameters())
total = 0
for x, y in loader():
    out = F.mse_loss(g(x), y)
    loss = total + out  # bad
    loss = out  # good
    total = loss  # bad
    og.zero_grad()
    loss.backward(retain_graph=True)
    og.step()
""",
    "autograd.backward": """
g, d = G(), D()
og, od = torch.optim.Adam(g.parameters()), torch.optim.Adam(d.parameters())
for x, y in loader():
    fake = d(g(x))
    od.zero_grad()
    torch.autograd.backward([d(y).mean() - fake.mean()], retain_graph=True)
    od.step()
    og.zero_grad()
    loss = -fake.mean()  # bad
    loss = -d(g(x)).mean()  # good
    torch.autograd.backward(loss)
    og.step()
""",
    "a method that makes optimizers": """
class GAN(nn.Module):
    def __init__(self):
        super().__init__()
        self.g, self.d = G(), D()

    def configure(self):
        return torch.optim.Adam(self.g.parameters()), torch.optim.Adam(self.d.parameters())


m = GAN()
og, od = m.configure()
for x, y in loader():
    fake = m.d(m.g(x))
    od.zero_grad()
    (m.d(y).mean() - fake.mean()).backward(retain_graph=True)
    od.step()
    og.zero_grad()
    loss = -fake.mean()  # bad
    loss = -m.d(m.g(x)).mean()  # good
    loss.backward()
    og.step()
""",
    "a class around an optimizer": """
class Wrap:
    def __init__(self, opt):
        self.opt = opt

    def step(self, loss, retain=False):
        self.opt.zero_grad()
        loss.backward(retain_graph=retain)
        self.opt.step()


g, d = G(), D()
og, od = Wrap(torch.optim.Adam(g.parameters())), Wrap(torch.optim.Adam(d.parameters()))
for x, y in loader():
    fake = d(g(x))
    od.step(d(y).mean() - fake.mean(), True)
    loss = -fake.mean()  # bad
    loss = -d(g(x)).mean()  # good
    og.step(loss)
""",
    "a class around optimizers": """
class Multi:
    def __init__(self, opts):
        self.opts = opts
        self.keys = list(opts)

    def zero_grad(self, key=None):
        if key is not None:
            self.opts[key].zero_grad()
        else:
            for k in self.keys:
                self.opts[k].zero_grad()

    def step(self, key=None):
        keys = [key] if key is not None else self.keys
        for k in keys:
            self.opts[k].step()


nets = {'g': G(), 'd': D()}
opt = Multi({k: torch.optim.Adam(nets[k].parameters()) for k in nets})
for x, y in loader():
    fake = nets['d'](nets['g'](x))
    opt.zero_grad()
    (nets['d'](y).mean() - fake.mean()).backward(retain_graph=True)
    opt.step('d')
    opt.zero_grad()
    loss = -fake.mean()  # bad
    loss = -nets['d'](nets['g'](x)).mean()  # good
    loss.backward()
    opt.step('g')
""",
    "an optimizer of its own": """
class SGD(torch.optim.Optimizer):
    def __init__(self, params, lr=0.1):
        super().__init__(params, dict(lr=lr))

    @torch.no_grad()
    def step(self, closure=None):
        for group in self.param_groups:
            for p in group['params']:
                if p.grad is None:
                    continue
                p.add_(p.grad, alpha=-group['lr'])


g, d = G(), D()
og, od = SGD(g.parameters()), SGD(d.parameters())
for x, y in loader():
    fake = d(g(x))
    od.zero_grad()
    (d(y).mean() - fake.mean()).backward(retain_graph=True)
    od.step()
    og.zero_grad()
    loss = -fake.mean()  # bad
    loss = -d(g(x)).mean()  # good
    loss.backward()
    og.step()
""",
    "two critics": """
q1, q2, pi = D(), D(), G()
oq = torch.optim.Adam(list(q1.parameters()) + list(q2.parameters()))
op = torch.optim.Adam(pi.parameters())
for x, y in loader():
    a = pi(x)
    ploss = -torch.min(q1(a), q2(a)).mean()
    qloss = q1(y).pow(2).mean() + q2(y).pow(2).mean()
    op.zero_grad()  # good
    ploss.backward()  # good
    op.step()  # good
    oq.zero_grad()
    qloss.backward()
    oq.step()
    op.zero_grad()  # bad
    ploss.backward()  # bad
    op.step()  # bad
""",
    "a list of critics": """
ds = [D() for _ in range(2)]
ods = [torch.optim.Adam(d.parameters()) for d in ds]
g = G()
og = torch.optim.Adam(g.parameters())
for x, y in loader():
    fakes = [d(g(x)) for d in ds]
    for d, o, f in zip(ds, ods, fakes):
        o.zero_grad()
        (d(y).mean() - f.mean()).backward(retain_graph=True)
        o.step()
    og.zero_grad()
    loss = -sum(f.mean() for f in fakes)  # bad
    loss = -sum(d(g(x)).mean() for d in ds)  # good
    loss.backward()
    og.step()
""",
}

#: What the programs use.
HEAD = """import functools
import itertools

import torch
from torch import nn
from torch.nn import functional as F


def update(opt, loss, retain=False):
    opt.zero_grad()
    loss.backward(retain_graph=retain)
    opt.step()


"""
#: What stands in another file where the program is a library.
MADE = """
class G(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 4))

    def forward(self, x):
        return self.net(x)


class D(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1))

    def forward(self, x):
        return self.net(x)


class Scaler:
    def scale(self, loss):
        return loss * 2

    def step(self, opt):
        opt.step()

    def update(self):
        pass


def loader():
    for _ in range(3):
        yield torch.rand(3, 4), torch.rand(3, 4)


"""
