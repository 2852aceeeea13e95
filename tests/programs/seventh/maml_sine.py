import copy
import torch
import torch.nn as nn
import torch.nn.functional as F


class SineTask:
    def __init__(self, gen):
        self.amp = 0.1 + 4.9 * torch.rand(1, generator=gen)
        self.phase = 3.14 * torch.rand(1, generator=gen)
        self.gen = gen

    def batch(self, k):
        x = 10 * torch.rand(k, 1, generator=self.gen) - 5
        return x, self.amp * torch.sin(x + self.phase)


class Regressor(nn.Module):
    def __init__(self, width=16):
        super().__init__()
        self.l1 = nn.Linear(1, width)
        self.l2 = nn.Linear(width, width)
        self.l3 = nn.Linear(width, 1)

    def forward(self, x):
        x = F.relu(self.l1(x), inplace=True)
        x = F.relu(self.l2(x), inplace=True)
        return self.l3(x)


class InnerLoop:
    """Adapts a model to a task and keeps the loss of every adaptation step (MAML++ multi-step loss)."""

    def __init__(self, model, lr, steps):
        self.model, self.lr, self.steps = model, lr, steps
        self.weights = torch.linspace(0.5, 1.0, steps)

    def adapt(self, task, shots=5):
        query_losses = []
        for k in range(self.steps):
            xs, ys = task.batch(shots)
            support = F.mse_loss(self.model(xs), ys)
            grads = torch.autograd.grad(support, list(self.model.parameters()))
            with torch.no_grad():
                for p, g in zip(self.model.parameters(), grads):
                    p.sub_(self.lr * g)  # BUG
            xq, yq = task.batch(shots)
            query_losses.append(self.weights[k] * F.mse_loss(self.model(xq), yq))
        return sum(query_losses)


class MetaLearner:
    def __init__(self, model, inner_lr=0.01, outer_lr=1e-3, inner_steps=3):
        self.model = model
        self.opt = torch.optim.Adam(model.parameters(), lr=outer_lr)
        self.inner_lr, self.inner_steps = inner_lr, inner_steps

    def meta_step(self, tasks):
        self.opt.zero_grad()
        total = 0.0
        for task in tasks:
            learner = copy.deepcopy(self.model)
            loss = InnerLoop(learner, self.inner_lr, self.inner_steps).adapt(task)
            loss.backward()
            for p, q in zip(self.model.parameters(), learner.parameters()):
                p.grad = q.grad.clone() if p.grad is None else p.grad.add_(q.grad)
            total += loss.item()
        for p in self.model.parameters():
            p.grad /= len(tasks)
        self.opt.step()
        return total / len(tasks)


# --- driver ---
gen = torch.Generator().manual_seed(0)
torch.manual_seed(0)
meta = MetaLearner(Regressor())
meta.meta_step([SineTask(gen) for _ in range(2)])
