import torch
import torch.nn as nn

from revnet import ReversibleBlock, RevStack


def branch(d):
    return nn.Sequential(nn.LayerNorm(d), nn.Linear(d, 16), nn.ReLU(inplace=True), nn.Linear(16, d))


def compare(stack, dim):
    x = torch.randn(5, dim, dtype=torch.double)
    grads = []
    for fn in (stack.forward, stack.forward_plain):
        stack.zero_grad()
        xi = x.clone().requires_grad_()
        fn(xi).pow(2).sum().backward()
        grads.append([xi.grad] + [p.grad.clone() for p in stack.parameters()])
    return all(torch.allclose(a, b, atol=1e-8) for a, b in zip(*grads))


if __name__ == "__main__":
    torch.manual_seed(21)
    torch.set_num_threads(1)
    stack = RevStack([ReversibleBlock(branch(4), branch(4)) for _ in range(3)])
    print("same gradients:", compare(stack.double(), 8))
    stack.float()
    emb, head = nn.Linear(5, 8), nn.Linear(8, 2)
    params = [*emb.parameters(), *stack.parameters(), *head.parameters()]
    opt = torch.optim.Adam(params, 3e-3)
    x = torch.randn(64, 5)
    y = (x.sum(1) > 0).long()
    for it in range(6):
        loss = nn.functional.cross_entropy(head(stack(emb(x))), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(it, round(loss.item(), 4))
