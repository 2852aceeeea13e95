class AuxLosses:
    """Auxiliary terms on the routing decision."""

    def __init__(self, weights):
        self.weights = weights

    def balance(self, route):
        frac = route.kept.float().mean(0)
        return route.probs.size(1) * (frac * route.probs.mean(0)).sum()

    def zloss(self, route):
        return route.logits.logsumexp(-1).pow(2).mean()

    def __call__(self, route):
        return sum(w * getattr(self, name)(route) for name, w in self.weights.items())
