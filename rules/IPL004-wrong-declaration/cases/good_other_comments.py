import torch


def scaled(x, factor):  # inplace-lint: inputs x=f32[3] factor=f32[3]
    # What it writes(x) is its own; inplace-lint says nothing of words in other comments.
    y = x * factor
    y += 1  # writes(y)
    return y


TEXT = "# inplace-lint: writes(z)"

scaled(torch.ones(3), torch.ones(3))
