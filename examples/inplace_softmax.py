"""For models that need the weights: a softmax written row by row into the memory of the scores, with its own backward.

A plain softmax keeps its result beside the scores while it runs: two tensors with one number for each query and key.
"""

import torch
from torch.multiprocessing.reductions import StorageWeakRef
from torch.utils._python_dispatch import TorchDispatchMode


class InplaceSoftmax(torch.autograd.Function):
    """softmax over the last axis, into the argument. The argument must be needed by nobody else."""

    @staticmethod
    def forward(ctx, scores, rows):
        flat = scores.view(-1, scores.shape[-1])
        for start in range(0, flat.shape[0], rows):
            block = flat[start : start + rows]
            block.sub_(block.amax(dim=-1, keepdim=True)).exp_()
            block.div_(block.sum(dim=-1, keepdim=True))
        ctx.rows = rows
        ctx.mark_dirty(scores)
        ctx.save_for_backward(scores)
        return scores

    @staticmethod
    def backward(ctx, grad):
        (weights,) = ctx.saved_tensors
        grad = grad.contiguous().clone()
        flat, saved = grad.view(-1, grad.shape[-1]), weights.view(-1, grad.shape[-1])
        for start in range(0, flat.shape[0], ctx.rows):
            block, w = flat[start : start + ctx.rows], saved[start : start + ctx.rows]
            block.sub_((block * w).sum(dim=-1, keepdim=True)).mul_(w)
        return grad, None


class Peak(TorchDispatchMode):
    """The most bytes of the scores' size that are alive at once."""

    def __init__(self, size):
        super().__init__()
        self.size, self.alive, self.most = size, {}, 0

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        out = func(*args, **(kwargs or {}))
        if isinstance(out, torch.Tensor) and out.numel() >= self.size:
            storage = out.untyped_storage()
            self.alive[storage._cdata] = StorageWeakRef(storage)
        count = sum(not one.expired() for one in self.alive.values())
        self.most = max(self.most, count)
        return out


def attention(q, k, v, inplace):
    scores = q @ k.transpose(-2, -1)
    weights = InplaceSoftmax.apply(scores, 64) if inplace else scores.softmax(dim=-1)
    return weights @ v, weights


if __name__ == "__main__":
    torch.manual_seed(0)
    x = torch.randn(3, 5, 7, dtype=torch.float64, requires_grad=True)
    right = torch.autograd.gradcheck(lambda t: InplaceSoftmax.apply(t * 1.0, 4), (x,))
    print(f"gradient is right: {right}")
    q, k, v = (torch.randn(2, 4, 128, 16, requires_grad=True) for _ in range(3))
    for inplace in (False, True):
        with torch.no_grad(), Peak(2 * 4 * 128 * 128) as peak:
            out, _ = attention(q, k, v, inplace)
        print(f"in place: {inplace}; tensors of 128×128 a head alive at once: {peak.most}; sum {out.sum():.2f}")
