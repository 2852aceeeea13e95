"""Small scores are zeroed through a view after sigmoid saved them."""

import torch


def best_scores(outputs, threshold):
    best = torch.max(outputs["logits"], dim=-1)
    scores = torch.sigmoid(best.values)
    for index in range(len(scores)):
        of_one = scores[index]
        of_one[of_one < threshold] = 0.0  # expect: IPL101
    return scores, best.indices


if __name__ == "__main__":
    logits = torch.randn(2, 5, 3, requires_grad=True)
    best_scores({"logits": logits}, 0.5)[0].sum().backward()
