"""A custom Function returns a view that it has made; the mark of another result does not concern it."""

import torch


class Parts(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        y = x.exp()
        mask = (y > 1).float()
        ctx.save_for_backward(y)
        ctx.mark_non_differentiable(mask)
        return mask, y[:, :1]

    @staticmethod
    def backward(ctx, of_mask, of_part):
        (y,) = ctx.saved_tensors
        return y * of_part


def parts(x):
    mask, part = Parts.apply(x)
    part = part.mul(2)
    return mask * part


if __name__ == "__main__":
    parts(torch.ones(2, 3, requires_grad=True)).sum().backward()
