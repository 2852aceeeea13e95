"""What an in-place SiLU saves: without gradients one tensor, with them nothing."""

import torch
import torch.nn.functional as F


# inplace-lint: inputs x=f32[S,1024]
def outofplace(x):
    return F.silu(x * 2)


# inplace-lint: inputs x=f32[S,1024]
def inplace(x):
    return F.silu(x * 2, inplace=True)


# inplace-lint: inputs x=f32[S,1024]
def wrong(x):
    y = x * 2
    kept = y.clone()
    y.sigmoid_()
    y *= kept
    return y


if __name__ == "__main__":
    x = torch.tensor([-1.0, 0.0, 2.0])
    for function in (outofplace, inplace, wrong):
        print(function.__name__, [round(v, 4) for v in function(x).tolist()])
