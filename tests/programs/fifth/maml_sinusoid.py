"""MAML on sinusoid regression, functional inner loop."""
import math
import torch
import torch.nn.functional as F

INNER_LR = 0.01
META_LR = 1e-3
INNER_STEPS = 2
HID = 20


class SineTask:
    def __init__(self):
        self.amp = 0.1 + 4.9 * torch.rand(()).item()
        self.phase = math.pi * torch.rand(()).item()

    def sample(self, k):
        x = torch.rand(k, 1) * 10 - 5
        return x, self.amp * torch.sin(x - self.phase)


def init_params():
    shapes = [(HID, 1), (HID,), (HID, HID), (HID,), (1, HID), (1,)]
    params = []
    for s in shapes:
        p = torch.zeros(s)
        if len(s) == 2:
            p.normal_(0, 1 / math.sqrt(s[1]))
        params.append(p.requires_grad_())
    return params


def net(x, w):
    x = F.relu(F.linear(x, w[0], w[1]))
    x = F.relu(F.linear(x, w[2], w[3]))
    return F.linear(x, w[4], w[5])


def inner_loop(w, xs, ys):
    fast = [p.clone() for p in w]
    for _ in range(INNER_STEPS):
        loss = F.mse_loss(net(xs, fast), ys)
        grads = torch.autograd.grad(loss, fast, create_graph=True)
        for p, g in zip(fast, grads):
            p.sub_(INNER_LR * g)  # BUG
    return fast


class MetaOptimizer:
    def __init__(self, params, lr, beta=0.9):
        self.params, self.lr, self.beta = params, lr, beta
        self.buf = [torch.zeros_like(p) for p in params]

    @torch.no_grad()
    def step(self, grads):
        for p, g, b in zip(self.params, grads, self.buf):
            b.mul_(self.beta).add_(g)
            p.add_(b, alpha=-self.lr)


def meta_train(iters, n_tasks=2, k=5):
    w = init_params()
    opt = MetaOptimizer(w, META_LR)
    log = []
    for it in range(iters):
        meta_loss = 0.0
        for _ in range(n_tasks):
            task = SineTask()
            xs, ys = task.sample(k)
            xq, yq = task.sample(k)
            fast = inner_loop(w, xs, ys)
            meta_loss = meta_loss + F.mse_loss(net(xq, fast), yq)
        meta_loss = meta_loss / n_tasks
        opt.step(torch.autograd.grad(meta_loss, w))
        log.append(meta_loss.item())
    return w, log


# --- driver ---
torch.manual_seed(0)
meta_train(1)
