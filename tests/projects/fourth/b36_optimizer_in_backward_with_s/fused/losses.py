import torch
import torch.nn.functional as F


class LossSuite:
    def __init__(self, weights):
        self.weights = weights

    def _value(self, model, out, batch):
        return F.mse_loss(out["value"], batch["value"])

    def _sign(self, model, out, batch):
        return F.binary_cross_entropy_with_logits(out["sign"], batch["sign"])

    def _l2(self, model, out, batch):
        return sum(p.pow(2).sum() for n, p in model.named_parameters() if n.endswith("weight"))

    def terms(self, model, batch):
        """Named weighted losses over one shared forward pass."""
        out = model(batch["x"])
        return {k: w * getattr(self, "_" + k)(model, out, batch) for k, w in self.weights.items()}
