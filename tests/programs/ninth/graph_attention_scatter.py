import torch
from torch import Tensor, nn


def scatter_max(src: Tensor, index: Tensor, n: int) -> Tensor:
    out = torch.full((n, src.size(1)), float("-inf"))
    return out.scatter_reduce_(0, index[:, None].expand_as(src), src, "amax")


def edge_softmax(score: Tensor, dst: Tensor, n: int) -> Tensor:
    peak = scatter_max(score.detach(), dst, n)
    num = torch.exp(score - peak[dst])
    den = torch.zeros(n, score.size(1)).index_add_(0, dst, num)
    num /= den[dst] + 1e-9  # BUG
    return num


def add_self_loops(edges: Tensor, n: int) -> Tensor:
    loop = torch.arange(n)
    return torch.cat([edges, torch.stack([loop, loop])], dim=1)


class GATConv(nn.Module):
    def __init__(self, cin: int, cout: int, heads: int = 2, slope: float = 0.2):
        super().__init__()
        self.heads, self.cout = heads, cout
        self.lin = nn.Linear(cin, heads * cout, bias=False)
        self.a_src = nn.Parameter(torch.empty(heads, cout))
        self.a_dst = nn.Parameter(torch.empty(heads, cout))
        self.bias = nn.Parameter(torch.zeros(heads * cout))
        self.act = nn.LeakyReLU(slope)
        self.reset_parameters()

    def reset_parameters(self):
        for p in (self.a_src, self.a_dst, self.lin.weight):
            nn.init.xavier_uniform_(p)

    def forward(self, x: Tensor, edges: Tensor) -> Tensor:
        n = x.size(0)
        src, dst = edges
        h = self.lin(x).view(n, self.heads, self.cout)
        s = (h * self.a_src).sum(-1)
        d = (h * self.a_dst).sum(-1)
        alpha = edge_softmax(self.act(s[src] + d[dst]), dst, n)
        msg = alpha.unsqueeze(-1) * h[src]
        out = torch.zeros(n, self.heads, self.cout).index_add_(0, dst, msg)
        return out.flatten(1) + self.bias


class NodeClassifier(nn.Module):
    def __init__(self, cin, hidden, classes, p=0.3):
        super().__init__()
        self.g1 = GATConv(cin, hidden)
        self.g2 = GATConv(2 * hidden, classes, heads=1)
        self.drop = nn.Dropout(p)

    def forward(self, x, edges):
        edges = add_self_loops(edges, x.size(0))
        x = torch.nn.functional.elu(self.g1(self.drop(x), edges))
        return self.g2(self.drop(x), edges)


def semi_supervised_step(model, opt, data, train_mask):
    model.train()
    logits = model(data["x"], data["edges"])
    loss = nn.functional.cross_entropy(logits[train_mask], data["y"][train_mask])
    opt.zero_grad()
    loss.backward()
    opt.step()
    return loss.item()


# --- driver ---
torch.manual_seed(13)
n = 10
data = {"x": torch.randn(n, 5), "edges": torch.randint(0, n, (2, 30)), "y": torch.randint(0, 3, (n,))}
mask = torch.zeros(n, dtype=torch.bool)
mask[:6] = True
net = NodeClassifier(5, 4, 3)
print(semi_supervised_step(net, torch.optim.Adam(net.parameters(), lr=5e-3), data, mask))
