import torch
import torch.nn as nn


class FieldInteraction(nn.Module):
    """AutoInt-like interaction between categorical field embeddings."""

    def __init__(self, emb_dim, att_dim, n_heads, use_res=True):
        super().__init__()
        self.n_heads = n_heads
        self.use_res = use_res
        self.proj = nn.ModuleDict({
            name: nn.Linear(emb_dim, att_dim * n_heads, bias=False) for name in ("query", "key", "value")
        })
        if use_res:
            self.proj["res"] = nn.Linear(emb_dim, att_dim * n_heads, bias=False)

    def forward(self, fields):
        # heads are stacked on a new leading axis: H x B x F x D
        split = {}
        for name in ("query", "key", "value"):
            pieces = self.proj[name](fields).chunk(self.n_heads, dim=2)
            split[name] = torch.stack(pieces)
        inner = torch.einsum("hbid,hbjd->hbij", split["query"], split["key"])
        inner = inner / split["query"].shape[-1] ** 0.5
        normalized = inner.softmax(-1)  # ATTN
        result = torch.matmul(normalized, split["value"])
        result = torch.cat(torch.unbind(result, 0), dim=-1)
        if self.use_res:
            result = result + self.proj["res"](fields)
        return torch.relu(result)


class CTRModel(nn.Module):
    def __init__(self, cardinalities, n_dense, emb=8, att=6, heads=2, layers=2):
        super().__init__()
        self.tables = nn.ModuleList(nn.Embedding(c, emb) for c in cardinalities)
        self.dense = nn.Parameter(torch.randn(n_dense, emb) * 0.3)
        dims = [emb] + [att * heads] * layers
        self.interact = nn.Sequential(*(FieldInteraction(d, att, heads) for d in dims[:-1]))
        self.out = nn.Linear((len(cardinalities) + n_dense) * dims[-1], 1)

    def forward(self, cat, num):
        e = [tab(cat[:, i]) for i, tab in enumerate(self.tables)]
        e = torch.stack(e, dim=1)
        d = num.unsqueeze(-1) * self.dense
        h = self.interact(torch.cat([e, d], dim=1))
        return self.out(h.flatten(1)).squeeze(-1)


# --- driver ---
torch.manual_seed(13)
cards = [5, 9, 3, 12, 7]
model = CTRModel(cards, n_dense=4).double().eval()
RESULTS = []
for batch in (3, 6):
    model.zero_grad()
    cat = torch.stack([torch.randint(0, c, (batch,)) for c in cards], 1)
    num = torch.randn(batch, 4, dtype=torch.float64, requires_grad=True)
    logit = model(cat, num)
    nn.functional.binary_cross_entropy_with_logits(logit, torch.ones_like(logit), reduction="sum").backward()
    RESULTS.append(logit.detach())
    RESULTS.append(num.grad)
    RESULTS += [p.grad.clone() for p in model.parameters()]
