import torch


def positional_encoding(x, levels):
    out = [x]
    for i in range(levels):
        out += [torch.sin(x * 2**i), torch.cos(x * 2**i)]
    return torch.cat(out, -1)
