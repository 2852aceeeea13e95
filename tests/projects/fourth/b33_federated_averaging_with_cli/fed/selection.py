import torch

SELECTORS = {}


def selector(fn_name):
    def deco(cls):
        SELECTORS[fn_name] = cls
        return cls
    return deco


class Selector:
    def __init__(self, take):
        self.take = take

    def pick(self, losses):
        raise NotImplementedError


@selector("everyone")
class Everyone(Selector):
    def pick(self, losses):
        return set(losses)


@selector("power_of_choice")
class PowerOfChoice(Selector):
    """Clients with the largest local loss train this round."""

    def pick(self, losses):
        return set(sorted(losses, key=losses.get, reverse=True)[: self.take])


@selector("random")
class RandomPick(Selector):
    def pick(self, losses):
        keys = list(losses)
        return {keys[i] for i in torch.randperm(len(keys))[: self.take].tolist()}
