"""Graph attention network with dense masked attention, semi-supervised node classification."""
import torch
import torch.nn as nn
import torch.nn.functional as F


def normalise_features(x):
    x -= x.mean(0, keepdim=True)
    x /= x.std(0, keepdim=True).clamp_(min=1e-6)
    return x


def stochastic_block_graph(n, k, p_in=0.4, p_out=0.05):
    labels = torch.arange(n) % k
    prob = torch.where(labels[:, None] == labels[None], p_in, p_out)
    adj = torch.bernoulli(prob).triu_(1)
    adj += adj.T.clone()
    adj.fill_diagonal_(1)
    return adj.bool(), labels


class AttentionDrop(nn.Module):
    """Drops attention coefficients; in evaluation it is the identity."""

    def __init__(self, p):
        super().__init__()
        self.p = p

    def forward(self, coef):
        return F.dropout(coef, self.p, self.training, inplace=True)  # BUG


class GATHead(nn.Module):
    def __init__(self, d_in, d_out, drop, slope=0.2):
        super().__init__()
        self.w = nn.Linear(d_in, d_out, bias=False)
        self.a_src, self.a_dst = nn.Parameter(torch.empty(d_out, 1)), nn.Parameter(torch.empty(d_out, 1))
        for a in (self.a_src, self.a_dst):
            nn.init.xavier_uniform_(a)
        self.slope = slope
        self.drop = AttentionDrop(drop)

    def forward(self, x, adj):
        h = self.w(x)
        e = F.leaky_relu(h @ self.a_dst + (h @ self.a_src).T, self.slope)
        e = e.masked_fill(~adj, float("-inf"))
        return self.drop(torch.softmax(e, dim=1)) @ h


class GATLayer(nn.Module):
    def __init__(self, d_in, d_out, heads, drop, concat):
        super().__init__()
        self.heads = nn.ModuleList(GATHead(d_in, d_out, drop) for _ in range(heads))
        self.concat = concat

    def forward(self, x, adj):
        outs = [head(x, adj) for head in self.heads]
        return torch.cat(outs, -1) if self.concat else torch.stack(outs).mean(0)


class GAT(nn.Module):
    def __init__(self, d_in, hidden, classes, heads=3, drop=0.3):
        super().__init__()
        self.drop = drop
        self.l1 = GATLayer(d_in, hidden, heads, drop, concat=True)
        self.l2 = GATLayer(hidden * heads, classes, 1, drop, concat=False)

    def forward(self, x, adj):
        x = F.dropout(x, self.drop, self.training)
        x = F.elu(self.l1(x, adj))
        x = F.dropout(x, self.drop, self.training)
        return self.l2(x, adj)


def evaluate(model, x, adj, labels, mask):
    model.eval()
    with torch.no_grad():
        hit = (model(x, adj).argmax(-1) == labels)[mask].float().mean()
    model.train()
    return hit.item()


def fit(model, x, adj, labels, train_mask, epochs):
    opt = torch.optim.Adam(model.parameters(), lr=5e-3, weight_decay=5e-4)
    for _ in range(epochs):
        loss = F.cross_entropy(model(x, adj)[train_mask], labels[train_mask])
        opt.zero_grad()
        loss.backward()
        opt.step()
    return evaluate(model, x, adj, labels, ~train_mask)


# --- driver ---
torch.manual_seed(13)
adj, labels = stochastic_block_graph(24, 3)
x = normalise_features(torch.randn(24, 8) + F.one_hot(labels, 8))
mask = torch.zeros(24, dtype=torch.bool)
mask[:9] = True
fit(GAT(8, 6, 3), x, adj, labels, mask, epochs=3)
