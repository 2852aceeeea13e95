import torch


def one_hot(target, classes):
    return torch.nn.functional.one_hot(target, classes).movedim(-1, 1).float()


class IgnoreIndexMixin:
    ignore_index = 255

    def split_ignore(self, target):
        keep = target != self.ignore_index
        return target * keep, keep

    def apply_ignore(self, prob, keep):
        prob.mul_(keep.unsqueeze(1))  # BUG
        return prob
