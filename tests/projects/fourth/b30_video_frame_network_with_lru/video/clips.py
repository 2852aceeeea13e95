import torch


def moving_dots(length, dim, classes):
    """A bump drifting over a line; the label is its region."""
    pos = torch.rand(()) * dim
    grid = torch.arange(dim).float()
    frames, labels = torch.empty(length, 1, dim), torch.empty(length, dtype=torch.long)
    for t in range(length):
        frames[t, 0] = torch.exp(-(grid - pos).pow(2) / 4)
        labels[t] = min(int(pos / dim * classes), classes - 1)
        pos = (pos + 0.7) % dim
    frames += 0.02 * torch.randn_like(frames)
    return frames, labels
