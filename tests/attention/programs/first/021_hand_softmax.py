import torch


class Tokens:
    """Didactic attention, each stage written out on plain tensors."""

    def __init__(self, d_model, d_head, seed=0):
        g = torch.Generator().manual_seed(seed)
        self.d_head = d_head
        self.Wq = (torch.randn(d_model, d_head, generator=g, dtype=torch.float64) * 0.4).requires_grad_()
        self.Wk = (torch.randn(d_model, d_head, generator=g, dtype=torch.float64) * 0.4).requires_grad_()
        self.Wv = (torch.randn(d_model, d_model, generator=g, dtype=torch.float64) * 0.4).requires_grad_()

    def parameters(self):
        return [self.Wq, self.Wk, self.Wv]

    def project(self, x):
        return x @ self.Wq, x @ self.Wk, x @ self.Wv

    def scores(self, Q, K):
        # similarity of every query to every key
        return Q @ K.mT / self.d_head ** 0.5

    def __call__(self, x, keep=None):
        Q, K, V = self.project(x)
        S = self.scores(Q, K)
        if keep is not None:
            S = S.masked_fill(keep.logical_not(), -torch.inf)

        # a numerically stable softmax
        S = S - S.amax(dim=-1, keepdim=True)
        E = torch.exp(S)
        A = E / E.sum(dim=-1, keepdim=True)  # ATTN

        return A @ V


def feed_forward(x, w1, w2):
    return torch.relu(x @ w1) @ w2


class Stack:
    def __init__(self, depth, d_model, d_head):
        self.layers = [Tokens(d_model, d_head, seed=s) for s in range(depth)]
        g = torch.Generator().manual_seed(99)
        self.mlps = [
            (
                (torch.randn(d_model, 2 * d_model, generator=g, dtype=torch.float64) * 0.3).requires_grad_(),
                (torch.randn(2 * d_model, d_model, generator=g, dtype=torch.float64) * 0.3).requires_grad_(),
            )
            for _ in range(depth)
        ]

    def parameters(self):
        for layer, (a, b) in zip(self.layers, self.mlps):
            yield from layer.parameters()
            yield a
            yield b

    def __call__(self, x, keep=None):
        for attend, (a, b) in zip(self.layers, self.mlps):
            x = x + attend(x, keep)
            x = x + feed_forward(x, a, b)
        return x


# --- driver ---
torch.manual_seed(21)
stack = Stack(2, 14, 6)
RESULTS = []
for n, causal in ((9, True), (13, False)):
    for p in stack.parameters():
        p.grad = None
    x = torch.randn(2, n, 14, dtype=torch.float64, requires_grad=True)
    keep = torch.ones(n, n).tril().bool() if causal else None
    y = stack(x, keep)
    torch.log1p(y * y).sum().backward()
    RESULTS.append(y.detach())
    RESULTS.append(x.grad)
    RESULTS += [p.grad for p in stack.parameters()]
