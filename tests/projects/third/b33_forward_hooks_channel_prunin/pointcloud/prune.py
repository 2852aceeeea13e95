import re
import torch


class ChannelPruner:
    """Soft channel pruning through forward hooks."""

    def __init__(self, model, pattern, ratio):
        self.masks, self.stats, self.handles = {}, {}, []
        self.ratio = ratio
        for name, mod in model.named_modules():
            if re.fullmatch(pattern, name):
                self.handles.append(mod.register_forward_hook(self._make_hook(name)))

    def _make_hook(self, name):
        def hook(module, inputs, output):
            self._track(name, output.detach())
            if name in self.masks:
                output.mul_(self.masks[name].view(1, -1, 1))  # BUG
        return hook

    def _track(self, name, out):
        s = out.abs().mean((0, 2))
        if name not in self.stats:
            self.stats[name] = torch.zeros_like(s)
        self.stats[name].mul_(0.9).add_(s, alpha=0.1)

    def update_masks(self):
        for name, s in self.stats.items():
            mask = torch.ones_like(s)
            mask[s.argsort()[:int(self.ratio * s.numel())]] = 0.0
            self.masks[name] = mask

    def remove(self):
        for h in self.handles:
            h.remove()
