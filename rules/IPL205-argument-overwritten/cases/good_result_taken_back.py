"""Every call puts the result where the argument was: the caller means it to change."""

import torch


def blend(above, tile, extent):
    for row in range(extent):
        share = row / extent
        tile[:, row] = above[:, row - extent] * (1 - share) + tile[:, row] * share
    return tile


def assemble(tiles, extent):
    done = []
    for tile in tiles:
        if done:
            tile = blend(done[-1], tile, extent)
        done.append(tile)
    return torch.cat(done, dim=1)


if __name__ == "__main__":
    assemble([torch.randn(2, 4) for _ in range(3)], 2)
