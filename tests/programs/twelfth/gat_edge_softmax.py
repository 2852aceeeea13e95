import torch
import torch.nn as nn
import torch.nn.functional as F


def segment_max(values, index, num):
    out = values.new_full((num,) + values.shape[1:], float("-inf"))
    idx = index.view(-1, 1).expand_as(values)
    return out.scatter_reduce_(0, idx, values, reduce="amax")


def segment_sum(values, index, num):
    return values.new_zeros((num,) + values.shape[1:]).index_add_(0, index, values)


def edge_softmax(scores, dst, num):
    """Softmax over the incoming edges of each node, heads last."""
    with torch.no_grad():
        peak = segment_max(scores, dst, num)
    ex = (scores - peak[dst]).exp()
    ex /= segment_sum(ex, dst, num)[dst]  # BUG
    return ex


class GATLayer(nn.Module):
    def __init__(self, d_in, d_out, heads=2, slope=0.2, concat=True):
        super().__init__()
        self.heads, self.d_out, self.slope, self.concat = heads, d_out, slope, concat
        self.lin = nn.Linear(d_in, heads * d_out, bias=False)
        self.a_src = nn.Parameter(torch.empty(heads, d_out))
        self.a_dst = nn.Parameter(torch.empty(heads, d_out))
        self.bias = nn.Parameter(torch.zeros(heads * d_out if concat else d_out))
        nn.init.xavier_uniform_(self.a_src)
        nn.init.xavier_uniform_(self.a_dst)

    def forward(self, x, edge_index):
        src, dst = edge_index
        n = x.shape[0]
        z = self.lin(x).view(n, self.heads, self.d_out)
        score = (z * self.a_src).sum(-1)[src] + (z * self.a_dst).sum(-1)[dst]
        alpha = edge_softmax(F.leaky_relu(score, self.slope), dst, n)
        out = segment_sum(alpha.unsqueeze(-1) * z[src], dst, n)
        out = out.flatten(1) if self.concat else out.mean(1)
        return out + self.bias


class GAT(nn.Module):
    def __init__(self, d_in, hidden, classes, heads=2):
        super().__init__()
        self.l1 = GATLayer(d_in, hidden, heads)
        self.l2 = GATLayer(hidden * heads, classes, 1, concat=False)

    def forward(self, x, edge_index):
        return self.l2(F.elu(self.l1(x, edge_index)), edge_index)


def random_graph(n, e, seed=0):
    g = torch.Generator().manual_seed(seed)
    ei = torch.randint(0, n, (2, e), generator=g)
    loops = torch.arange(n).repeat(2, 1)
    return torch.cat([ei, loops], 1)


def run_epochs(model, x, ei, y, train_mask, epochs=4, lr=5e-3, wd=5e-4):
    opt = torch.optim.Adam(model.parameters(), lr=lr, weight_decay=wd)
    for ep in range(epochs):
        model.train()
        opt.zero_grad()
        logits = model(x, ei)
        loss = F.cross_entropy(logits[train_mask], y[train_mask])
        loss.backward()
        opt.step()
        acc = (logits.argmax(-1) == y)[~train_mask].float().mean().item()
        print(f"epoch {ep} loss {loss.item():.3f} acc {acc:.2f}")


# --- driver ---
torch.manual_seed(5)
edges = random_graph(30, 90)
feats, labels = torch.randn(30, 8), torch.randint(0, 4, (30,))
mask = torch.rand(30) < 0.6
run_epochs(GAT(8, 6, 4), feats, edges, labels, mask)
