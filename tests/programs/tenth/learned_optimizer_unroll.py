"""Learning to optimise: a coordinate-wise LSTM proposes updates, trained through an unrolled inner problem."""
import torch
import torch.nn as nn


class Quadratic:
    def __init__(self, dim, gen):
        self.W = torch.randn(dim, dim, generator=gen)
        self.y = torch.randn(dim, generator=gen)
        self.start = torch.randn(dim, generator=gen)

    def __call__(self, theta):
        return (self.W @ theta - self.y).square().mean()


class Rosenbrock:
    def __init__(self, dim, gen):
        self.start = torch.randn(dim, generator=gen).mul_(0.3)

    def __call__(self, theta):
        a, b = theta[:-1], theta[1:]
        return (100 * (b - a * a).square() + (1 - a).square()).mean() * 1e-2


def log_sign_features(g, p=10.0):
    big = g.abs() >= torch.exp(torch.tensor(-p))
    first = torch.where(big, g.abs().clamp(min=1e-12).log() / p, torch.full_like(g, -1.0))
    second = torch.where(big, g.sign(), g * torch.exp(torch.tensor(p)))
    return torch.stack([first, second], -1)


class CoordinateLSTM(nn.Module):
    def __init__(self, hidden=12, layers=2, scale=0.05):
        super().__init__()
        self.cells = nn.ModuleList(nn.LSTMCell(2 if i == 0 else hidden, hidden) for i in range(layers))
        self.out = nn.Linear(hidden, 1)
        self.scale = scale

    def zero_state(self, n):
        h = self.cells[0].hidden_size
        return [(torch.zeros(n, h), torch.zeros(n, h)) for _ in self.cells]

    def forward(self, grad, state):
        x, new = log_sign_features(grad), []
        for cell, s in zip(self.cells, state):
            s = cell(x, s)
            new.append(s)
            x = s[0]
        return self.scale * self.out(x).squeeze(-1), new


class Unroll:
    """Runs the optimiser on one problem and yields the differentiable loss of every step."""

    def __init__(self, problem, rule):
        self.problem, self.rule = problem, rule
        self.theta = problem.start.clone()
        self.state = rule.zero_state(len(self.theta))

    def gradient(self):
        probe = self.theta.detach().clone().requires_grad_()
        return torch.autograd.grad(self.problem(probe), probe)[0]

    def apply(self, update):
        self.theta.add_(update)  # BUG

    def window(self, length):
        for _ in range(length):
            update, self.state = self.rule(self.gradient(), self.state)
            self.apply(update)
            yield self.problem(self.theta)

    def truncate(self):
        self.theta = self.theta.detach()
        self.state = [(h.detach(), c.detach()) for h, c in self.state]


def meta_epoch(rule, opt, problems, length=4, windows=2):
    for problem in problems:
        run = Unroll(problem, rule)
        for _ in range(windows):
            loss = sum(run.window(length))
            opt.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(rule.parameters(), 1.0)
            opt.step()
            run.truncate()


# --- driver ---
gen = torch.Generator().manual_seed(24)
torch.manual_seed(24)
rule = CoordinateLSTM()
opt = torch.optim.Adam(rule.parameters(), lr=1e-3)
meta_epoch(rule, opt, [Quadratic(6, gen), Rosenbrock(6, gen)])
