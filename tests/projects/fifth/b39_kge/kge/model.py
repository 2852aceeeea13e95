from dataclasses import dataclass
from typing import Optional

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from .scoring import SCORERS


@dataclass
class KGEConfig:
    """
    max_norm: if set, entity vectors longer than this are brought back when looked up.
    smooth: weight of the pull of relations to the mean entity direction, 0 is off.
    """

    n_entities: int
    n_relations: int
    dim: int = 8
    scorer: str = "distmult"
    max_norm: Optional[float] = None
    smooth: float = 0.0
    init_std: float = 1.0


class EntityTable(nn.Embedding):
    def __init__(self, cfg: KGEConfig):
        super().__init__(cfg.n_entities, cfg.dim, max_norm=cfg.max_norm)
        nn.init.normal_(self.weight, std=cfg.init_std)

    def all(self) -> Tensor:
        return self.weight


class KGEModel(nn.Module):
    """1-vs-all scoring. ``loss(triples)`` with triples (B, 3) of head, relation, tail."""

    def __init__(self, cfg: KGEConfig):
        super().__init__()
        self.cfg = cfg
        self.ent = EntityTable(cfg)
        self.rel = nn.Embedding(cfg.n_relations, cfg.dim)
        self.score = SCORERS[cfg.scorer]

    def score_tails(self, h: Tensor, r: Tensor) -> Tensor:
        return self.score(self.ent(h), self.rel(r), self.ent.all())

    def rank(self, triples: Tensor) -> Tensor:
        with torch.no_grad():
            s = self.score_tails(triples[:, 0], triples[:, 1])
            true = s.gather(1, triples[:, 2:])
            return (s > true).sum(1).add_(1)

    def regularizer(self, triples: Tensor) -> Tensor:
        """N3 on what the batch touches."""
        reg = self.ent(triples[:, 2]).abs().pow_(3).sum(-1)  # BUG
        reg += self.rel(triples[:, 1]).abs().pow_(3).sum(-1)
        return reg.mean()

    def loss(self, triples: Tensor, reg_weight: float = 1e-2) -> Tensor:
        logits = self.score_tails(triples[:, 0], triples[:, 1])
        loss = F.cross_entropy(logits, triples[:, 2])
        if reg_weight > 0:
            loss += reg_weight * self.regularizer(triples)
        if self.cfg.smooth > 0:
            mean = self.ent.all().mean(0)
            loss += self.cfg.smooth * (self.rel.weight - mean).square_().mean()
        return loss
