import copy

import torch


def adapt(net, task, loss_fn, lr, steps):
    fast = copy.deepcopy(net)
    for _ in range(steps):
        x, y = task()
        grads = torch.autograd.grad(loss_fn(fast(x), y), list(fast.parameters()))
        with torch.no_grad():
            for p, g in zip(fast.parameters(), grads):
                p -= lr * g
    return fast
