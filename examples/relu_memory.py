"""What an in-place ReLU saves: the result takes the memory of its input, in training too."""

import torch


# inplace-lint: inputs x=f32[S,S]
def outofplace(x):
    return torch.relu(x)


# inplace-lint: inputs x=f32[S,S]
def inplace_(x):
    return torch.relu_(x)


if __name__ == "__main__":
    x = torch.randn(4, 4)
    print("outofplace(x) is x's memory:", outofplace(x).data_ptr() == x.data_ptr())
    print("inplace_(x) is x's memory:", inplace_(x).data_ptr() == x.data_ptr())
