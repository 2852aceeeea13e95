import torch
import torch.nn.functional as F
from torch import nn

from .centers import CenterBank


class HeadBase(nn.Module):
    def __init__(self):
        super().__init__()
        self._post = []

    def add_post_hook(self, fn):
        """fn(head, feats, assign) runs at the end of a training forward."""
        self._post.append(fn)
        return fn

    def run_post(self, feats, assign):
        for fn in self._post:
            fn(self, feats.detach(), assign)


class OnlineClusterHead(HeadBase):
    """Soft assignment of features to moving centers.

    metric: "cosine" (default) or "l2".
    forward(x, labels=None) -> (logits, loss); without labels the arg-max is the pseudo label.
    """

    def __init__(self, dim, n_clusters, metric="cosine", scale=10.0, momentum=0.9):
        super().__init__()
        self.bank = CenterBank(n_clusters, dim, momentum)
        self.proj = nn.Linear(dim, dim)
        self.metric, self.scale = metric, scale
        self.add_post_hook(lambda head, f, a: head.bank.update(f, a))

    def similarity(self, f):
        c = self.bank.centers
        if self.metric == "cosine":
            return F.normalize(f, dim=1).matmul(c.t())
        d = f.unsqueeze(1) - c.unsqueeze(0)
        return d.pow(2).sum(-1).neg_()

    def forward(self, x, labels=None):
        f = self.proj(x)
        logits = self.similarity(f)
        logits *= self.scale
        if labels is None:
            labels = logits.detach().argmax(1)
        loss = F.cross_entropy(logits, labels)
        if self.training:
            self.run_post(f, labels)
        return logits, loss
