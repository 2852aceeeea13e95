class Callback:
    def on_batch_end(self, engine):
        pass

    def on_backward_end(self, engine):
        pass

    def on_step_end(self, engine):
        pass


class PruneCallback(Callback):
    def __init__(self, pruner):
        self.pruner = pruner

    def on_batch_end(self, engine):
        self.pruner.update(engine.batch_idx)


class MaskGrads(Callback):
    def __init__(self, pruner):
        self.pruner = pruner

    def on_backward_end(self, engine):
        for l in self.pruner.layers:
            l.weight.grad.mul_(l.mask)


class Meter(Callback):
    def __init__(self, pruner):
        self.ema = None

    def on_step_end(self, engine):
        v = engine.last_loss
        self.ema = v if self.ema is None else 0.8 * self.ema + 0.2 * v
        print(f"step {engine.step_idx} loss {self.ema:.4f}")


def make_callbacks(names, pruner):
    table = {"prune": PruneCallback, "mask_grads": MaskGrads, "meter": Meter}
    return [table[n](pruner) for n in names]
