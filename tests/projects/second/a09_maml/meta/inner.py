import torch


def inner_step(loss, fast, lr):
    grads = torch.autograd.grad(loss, fast, create_graph=True)
    for p, g in zip(fast, grads):
        p.sub_(lr * g)  # BUG
    return fast
