import torch
import torch.nn as nn

torch.manual_seed(66)
torch.set_num_threads(1)


class TraceOptimizer:
    """TD(lambda) with dutch-free accumulating traces."""

    def __init__(self, params, lr, gamma, lam):
        self.params = list(params)
        self.z = [torch.zeros_like(p) for p in self.params]
        self.lr, self.decay = lr, gamma * lam

    def reset(self):
        for z in self.z:
            z.zero_()

    @torch.no_grad()
    def step(self, grads, delta):
        torch._foreach_mul_(self.z, self.decay)
        torch._foreach_add_(self.z, grads)
        for p, z in zip(self.params, self.z):
            p.add_(z, alpha=self.lr * delta)


class RunningNorm:
    def __init__(self, d):
        self.mean, self.m2, self.n = torch.zeros(d), torch.ones(d), 1

    def __call__(self, x):
        self.n += 1
        delta = x - self.mean
        self.mean += delta / self.n
        self.m2 += delta * (x - self.mean)
        return ((x - self.mean) / (self.m2 / self.n).sqrt_()).clamp_(-3, 3)


class Chain:
    def __init__(self):
        self.s = torch.zeros(3)

    def reset(self):
        self.s.uniform_(-1, 1)
        return self.s.clone()

    def step(self, a):
        self.s[0] += 0.2 * (a - 0.5)
        self.s[1:] *= 0.9
        self.s += 0.02 * torch.randn(3)
        done = bool(self.s[0].abs() > 1.5)
        return self.s.clone(), -self.s[0].abs().item() - (5.0 if done else 0.0), done


def net(out):
    return nn.Sequential(nn.Linear(3, 16), nn.Tanh(), nn.Linear(16, 16), nn.ReLU(inplace=True), nn.Linear(16, out))


actor, critic = net(2), net(1)
gamma = 0.95
to_a = TraceOptimizer(actor.parameters(), 2e-3, gamma, 0.8)
to_c = TraceOptimizer(critic.parameters(), 5e-3, gamma, 0.8)
norm, env = RunningNorm(3), Chain()
baseline = []
for ep in range(4):
    s = norm(env.reset())
    to_a.reset()
    to_c.reset()
    total, I = 0.0, 1.0
    for t in range(15):
        dist = torch.distributions.Categorical(logits=actor(s))
        a = dist.sample()
        raw, r, done = env.step(a.item())
        s2 = norm(raw)
        v = critic(s)
        with torch.no_grad():
            v2 = critic(s2)
            v2 *= 0.0 if done else 1.0
            delta = (r + gamma * v2 - v.detach()).item()
        gc = torch.autograd.grad(v.squeeze(), list(critic.parameters()))
        obj = dist.log_prob(a) + 0.01 * dist.entropy()
        ga = torch.autograd.grad(obj, list(actor.parameters()))
        torch._foreach_mul_(list(ga), I)
        to_c.step(gc, delta)
        to_a.step(ga, delta)
        I *= gamma
        total += r
        s = s2
        if done:
            break
    baseline += [total]
    print(ep, t, round(total, 3))
# a short supervised phase: regress the critic on episode totals
opt = torch.optim.SGD(critic.parameters(), 1e-3)
for total in baseline:
    loss = critic(torch.zeros(1, 3)).sub_(total).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
