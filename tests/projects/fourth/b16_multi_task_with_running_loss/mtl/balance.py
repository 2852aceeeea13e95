import torch


class Balancer:
    """Maps a dict of raw task losses to a dict of weighted losses."""

    def __init__(self, names):
        self.names = names

    def weigh(self, losses):
        raise NotImplementedError


class Equal(Balancer):
    def weigh(self, losses):
        return {k: v / len(losses) for k, v in losses.items()}


class RunningScale(Balancer):
    """Normalises each task by a running average of its own loss."""

    def __init__(self, names, decay=0.7):
        super().__init__(names)
        self.decay = decay
        self.scale = {}

    def track(self, name, loss):
        prev = self.scale.get(name)
        cur = loss if prev is None else self.decay * prev + (1 - self.decay) * loss
        self.scale[name] = cur
        return cur

    def weigh(self, losses):
        return {k: v / (self.track(k, v) + 1e-6) for k, v in losses.items()}


class RandomWeights(Balancer):
    def weigh(self, losses):
        w = torch.randn(len(losses)).softmax(0)
        return {k: v * w[i] for i, (k, v) in enumerate(losses.items())}


BALANCERS = {"equal": Equal, "running": RunningScale, "random": RandomWeights}
