import torch
import torch.nn as nn
import torch.nn.functional as F


class Expert(nn.Module):
    def __init__(self, dim, hidden):
        super().__init__()
        self.w1 = nn.Linear(dim, hidden, bias=False)
        self.w2 = nn.Linear(hidden, dim, bias=False)
        self.w3 = nn.Linear(dim, hidden, bias=False)

    def forward(self, x):
        return self.w2(F.silu(self.w1(x)) * self.w3(x))


class SoftExpertLayer(nn.Module):
    """Every expert has a key vector; tokens are matched to keys by scaled dot product
    and each token receives the blend of its expert outputs."""

    def __init__(self, dim, hidden, n_experts, key_dim):
        super().__init__()
        self.to_query = nn.Linear(dim, key_dim, bias=False)
        self.expert_keys = nn.Parameter(torch.randn(n_experts, key_dim))
        self.experts = nn.ModuleList(Expert(dim, hidden) for _ in range(n_experts))
        self.scale = key_dim ** -0.5
        self.aux_loss = None

    def forward(self, x):
        q = self.to_query(x)
        logits = (q @ self.expert_keys.t()) * self.scale
        gate = F.softmax(logits, dim=-1)  # NOT
        top1 = F.one_hot(gate.argmax(-1), gate.size(-1)).to(gate.dtype)
        load = top1.mean(dim=(0, 1))
        importance = gate.mean(dim=(0, 1))
        self.aux_loss = gate.size(-1) * (load * importance).sum()
        values = torch.stack([e(x) for e in self.experts], dim=-2)
        return (gate.unsqueeze(-2) @ values).squeeze(-2)


class MoEBlock(nn.Module):
    def __init__(self, dim=12, hidden=20, n_experts=5):
        super().__init__()
        self.norm = nn.LayerNorm(dim)
        self.moe = SoftExpertLayer(dim, hidden, n_experts, key_dim=8)

    def forward(self, x):
        return x + self.moe(self.norm(x))


# --- driver ---
torch.manual_seed(19)
net = MoEBlock().double().eval()
RESULTS = []
for b, t in ((2, 7), (3, 4)):
    net.zero_grad()
    x = torch.randn(b, t, 12, dtype=torch.float64, requires_grad=True)
    y = net(x)
    (y.pow(3).sum() + 0.1 * net.moe.aux_loss).backward()
    RESULTS += [y.detach(), net.moe.aux_loss.detach(), x.grad]
    RESULTS += [p.grad.clone() for p in net.parameters()]
