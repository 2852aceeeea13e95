"""A function of a library: who calls it is not in sight, and may want the change."""

import torch


def drop_diagonal(scores):
    scores.fill_diagonal_(float("-inf"))
    return scores


library = {"drop_diagonal": drop_diagonal}
