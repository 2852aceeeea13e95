"""Indexing by a mask copies."""

import torch


def mask_scores(scores: torch.Tensor) -> torch.Tensor:
    scores = scores * 2
    scores[scores > 1].fill_(float("-inf"))  # expect: IPL206
    return scores


assert torch.isfinite(mask_scores(torch.ones(3))).all()
