from torch import nn

from .embed import FieldEmbedding
from .interaction import make_interaction


class DeepFM(nn.Module):
    def __init__(self, fields, dim=4, interaction="fm"):
        super().__init__()
        self.emb = FieldEmbedding(fields, dim)
        self.interact = make_interaction(interaction)
        self.out = nn.Linear(dim, 1)

    def forward(self, idx):
        e = self.emb(idx)
        z = self.interact(e).sigmoid()
        p = self.out(z)
        z.neg_().add_(1)  # BUG
        return p.squeeze(-1), z
