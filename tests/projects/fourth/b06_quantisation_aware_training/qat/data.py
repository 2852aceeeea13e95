import torch


def toy_batches(d_in, d_out, n, batch=16):
    w = torch.randn(d_in, d_out)
    for _ in range(n):
        x = torch.randn(batch, d_in)
        y = torch.tanh(x @ w)
        y += 0.01 * torch.randn_like(y)
        yield x, y
