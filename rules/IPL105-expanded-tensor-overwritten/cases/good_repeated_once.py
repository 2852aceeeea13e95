"""How often a row is repeated is said by the caller, and the caller says once."""

import torch


def rows(values, count):
    return torch.tensor(values).expand(count, len(values))


def start(values):
    points = rows(values, count=1)
    points[:, 0] = 0.0
    return points


if __name__ == "__main__":
    assert start([1.0, 2.0])[0, 0] == 0
