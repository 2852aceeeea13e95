"""A static method has no object before its arguments, whoever calls it."""

import torch


class Window:
    def __init__(self, size):
        self.size = size

    @staticmethod
    def moved(context, new):
        context[:-1] = context[1:].clone()  # expect: IPL205
        context[-1] = new
        return context

    def all(self, context, steps):
        moved = [self.moved(context=context, new=step) for step in steps]
        return moved, context.sum()


context = torch.arange(4.0)
Window(4).all(context, torch.ones(2))
changed = not torch.equal(context, torch.arange(4.0))
