# MAML sinusoid regression
import math
import torch
import torch.nn.functional as F

INNER_LR = 0.01
INNER_STEPS = 3
META_BATCH = 4


def init_params(sizes=(1, 40, 40, 1)):
    params = []
    for i, o in zip(sizes[:-1], sizes[1:]):
        params.append((torch.randn(o, i) / math.sqrt(i)).requires_grad_())
        params.append(torch.zeros(o, requires_grad=True))
    return params


def net(x, w):
    x = F.relu(F.linear(x, w[0], w[1]))
    x = F.relu(F.linear(x, w[2], w[3]))
    return F.linear(x, w[4], w[5])


class SinusoidTask:
    def __init__(self):
        self.amp = torch.empty(1).uniform_(0.1, 5.0)
        self.phase = torch.empty(1).uniform_(0, math.pi)

    def sample(self, k):
        x = torch.empty(k, 1).uniform_(-5, 5)
        return x, self.amp * torch.sin(x + self.phase)


def adapt(params, x, y):
    fast = [p.clone() for p in params]
    for _ in range(INNER_STEPS):
        loss = F.mse_loss(net(x, fast), y)
        grads = torch.autograd.grad(loss, fast, create_graph=True)
        for w, g in zip(fast, grads):
            w -= INNER_LR * g  # BUG
    return fast


def main():
    torch.manual_seed(0)
    params = init_params()
    meta_opt = torch.optim.Adam(params, lr=1e-3)
    for it in range(5):
        meta_loss = 0.
        for _ in range(META_BATCH):
            task = SinusoidTask()
            fast = adapt(params, *task.sample(10))
            xq, yq = task.sample(10)
            meta_loss = meta_loss + F.mse_loss(net(xq, fast), yq)
        meta_opt.zero_grad()
        meta_loss.backward()
        meta_opt.step()
        print(it, meta_loss.item() / META_BATCH)


main()
