"""The price of a right `b = b + 1` in place of the `b += 1` that backward refuses: what `b ** 2` keeps, and no more."""

import torch


# inplace-lint: inputs a=f32[S,1024]
def wrong(a):
    b = a * 2
    c = b ** 2
    b += 1
    return b * 3 + c


# inplace-lint: inputs a=f32[S,1024]
def right(a):
    b = a * 2
    c = b ** 2
    b = b + 1
    return b * 3 + c


if __name__ == "__main__":
    a = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    print("right:", right(a).tolist(), torch.autograd.grad(right(a).sum(), a)[0].tolist())
    try:
        torch.autograd.grad(wrong(a).sum(), a)
    except RuntimeError as error:
        print("backward raises:", error)
