import torch.nn.functional as F


class Objective:
    name = None

    def split(self, ids):
        raise NotImplementedError

    def __call__(self, model, ids):
        ctx, target = self.split(ids)
        return F.cross_entropy(model.score(model.encode(ctx)), target)


class Forward(Objective):
    name = "forward"

    def split(self, ids):
        return ids[:, :-2], ids[:, -2]


class Backward(Objective):
    name = "backward"

    def split(self, ids):
        return ids[:, 1:-1].flip(1), ids[:, 0]


def build_objectives(cfg):
    table = {c.name: c for c in Objective.__subclasses__()}
    return [table[n]() for n in cfg.objectives.split()]
