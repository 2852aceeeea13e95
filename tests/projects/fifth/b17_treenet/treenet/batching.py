from collections import namedtuple

import torch

TreeBatch = namedtuple("TreeBatch", "feats level_ptr children child_mask")


def batch_levels(feats, levels):
    """Order nodes level by level (leaves first).

    levels: list of lists of child id lists; each level is a contiguous run of nodes.
    """
    width = max([len(c) for lv in levels for c in lv] + [1])
    n = sum(len(lv) for lv in levels)
    children = torch.zeros(n, width, dtype=torch.long)
    mask = torch.zeros(n, width)
    ptr, row = [0], 0
    for lv in levels:
        for c in lv:
            if c:
                children[row, :len(c)] = torch.tensor(c)
                mask[row, :len(c)] = 1.0
            row += 1
        ptr.append(row)
    return TreeBatch(feats, ptr, children, mask)
