"""Deep equilibrium classifier: Anderson-accelerated fixed point, implicit gradient through a hook."""
import torch
from torch import Tensor, nn


class AndersonSolver:
    """Finds z with z = f(z); history buffers are allocated once per call and overwritten cyclically."""

    def __init__(self, memory: int = 4, max_iter: int = 20, tol: float = 1e-4, ridge: float = 1e-4):
        self.memory, self.max_iter, self.tol, self.ridge = memory, max_iter, tol, ridge
        self.last_iterations = 0

    @torch.no_grad()
    def __call__(self, f, z0: Tensor) -> Tensor:
        shape, b = z0.shape, z0.size(0)
        m, d = self.memory, z0[0].numel()
        points, images = z0.new_zeros(b, m, d), z0.new_zeros(b, m, d)
        system = z0.new_zeros(b, m + 1, m + 1)
        system[:, 0, 1:] = system[:, 1:, 0] = 1
        target = z0.new_zeros(b, m + 1, 1)
        target[:, 0] = 1
        z = z0.reshape(b, d).clone()
        for k in range(self.max_iter):
            slot, n = k % m, min(k + 1, m)
            points[:, slot] = z
            images[:, slot] = f(z.view(shape)).reshape(b, d)
            residual = images[:, :n] - points[:, :n]
            gram = residual @ residual.transpose(1, 2)
            gram.diagonal(dim1=1, dim2=2).add_(self.ridge)
            system[:, 1:n + 1, 1:n + 1] = gram
            alpha = torch.linalg.solve(system[:, :n + 1, :n + 1], target[:, :n + 1])[:, 1:]
            z.copy_((alpha * images[:, :n]).sum(1))
            if residual[:, min(slot, n - 1)].norm() < self.tol * (1e-5 + z.norm()):
                break
        self.last_iterations = k + 1
        return z.view(shape)


class Cell(nn.Module):
    def __init__(self, dim: int, hidden: int, shrink: float = 0.4):
        super().__init__()
        self.inner, self.inject, self.outer = nn.Linear(dim, hidden), nn.Linear(dim, hidden), nn.Linear(hidden, dim)
        with torch.no_grad():
            for layer in (self.inner, self.outer):
                layer.weight.mul_(shrink / torch.linalg.matrix_norm(layer.weight, 2))

    def forward(self, z: Tensor, x: Tensor) -> Tensor:
        return torch.tanh(self.outer(torch.tanh(self.inner(z) + self.inject(x))) + 0.5 * x)


class DEQ(nn.Module):
    def __init__(self, cell: Cell, solver: AndersonSolver):
        super().__init__()
        self.cell, self.solver = cell, solver

    def forward(self, x: Tensor) -> Tensor:
        star = self.solver(lambda z: self.cell(z, x), torch.zeros_like(x))
        z = self.cell(star, x)
        if not z.requires_grad:
            return z
        anchor = star.detach().requires_grad_()
        image = self.cell(anchor, x.detach())

        def implicit(grad: Tensor) -> Tensor:
            pull = lambda v: torch.autograd.grad(image, anchor, v, retain_graph=True)[0] + grad
            return self.solver(lambda v: torch.enable_grad()(pull)(v), grad)

        z.register_hook(implicit)
        return z


class Classifier(nn.Module):
    def __init__(self, d_in: int, dim: int, classes: int):
        super().__init__()
        self.lift = nn.Linear(d_in, dim)
        self.deq = DEQ(Cell(dim, 2 * dim), AndersonSolver())
        self.head = nn.Linear(dim, classes)

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.deq(torch.tanh(self.lift(x))))


def spirals(n: int) -> tuple[Tensor, Tensor]:
    label = torch.randint(0, 2, (n,))
    t = torch.rand(n) * 6
    angle = t + torch.pi * label
    x = torch.stack([t * angle.cos(), t * angle.sin()], 1)
    x /= 6
    return x + 0.02 * torch.randn_like(x), label


# --- driver ---
torch.manual_seed(6)
net = Classifier(2, 12, 2)
opt = torch.optim.Adam(net.parameters(), lr=5e-3)
for _ in range(3):
    x, y = spirals(24)
    loss = nn.functional.cross_entropy(net(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(loss.item(), net.deq.solver.last_iterations)
