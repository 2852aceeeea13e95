"""Second-order MAML on sinusoid regression, functional forward over a list of fast weights."""
import math
import random

import torch
import torch.nn.functional as F


def init_params(sizes):
    params = []
    for fan_in, fan_out in zip(sizes, sizes[1:]):
        params.append((torch.randn(fan_out, fan_in) / math.sqrt(fan_in)).requires_grad_())
        params.append(torch.zeros(fan_out, requires_grad=True))
    return params


def predict(params, x):
    n = len(params) // 2
    for i in range(n):
        x = F.linear(x, params[2 * i], params[2 * i + 1])
        if i + 1 < n:
            x = torch.tanh(x)
    return x


class SineTask:
    def __init__(self, rng):
        self.amp = rng.uniform(0.5, 5.0)
        self.phase = rng.uniform(0, math.pi)

    def draw(self, k):
        x = torch.rand(k, 1) * 10 - 5
        return x, self.amp * torch.sin(x - self.phase)


class FastWeights:
    """A task-private copy of the meta parameters which still hangs on their graph."""

    def __init__(self, meta):
        self.values = [p.clone() for p in meta]

    def descend(self, grads, rates):
        for value, grad, rate in zip(self.values, grads, rates):
            value.sub_(rate * grad)  # BUG


class MetaLearner:
    def __init__(self, sizes, inner_lr=0.02, inner_steps=2, meta_lr=1e-3):
        self.meta = init_params(sizes)
        self.log_rates = [torch.tensor(math.log(inner_lr), requires_grad=True) for _ in self.meta]
        self.inner_steps = inner_steps
        self.opt = torch.optim.Adam(self.meta + self.log_rates, lr=meta_lr)

    def adapt(self, x, y, create_graph=True):
        fast = FastWeights(self.meta)
        rates = [r.exp() for r in self.log_rates]
        for _ in range(self.inner_steps):
            loss = F.mse_loss(predict(fast.values, x), y)
            grads = torch.autograd.grad(loss, fast.values, create_graph=create_graph)
            fast.descend(grads, rates)
        return fast

    def outer_loss(self, task, shots, queries):
        fast = self.adapt(*task.draw(shots))
        x, y = task.draw(queries)
        return F.mse_loss(predict(fast.values, x), y)

    def meta_step(self, tasks, shots=5, queries=10):
        total = sum(self.outer_loss(task, shots, queries) for task in tasks) / len(tasks)
        self.opt.zero_grad()
        total.backward()
        self.opt.step()
        return total.item()


def task_stream(seed, per_step):
    rng = random.Random(seed)
    while True:
        yield [SineTask(rng) for _ in range(per_step)]


# --- driver ---
torch.manual_seed(0)
learner = MetaLearner([1, 20, 20, 1])
stream = task_stream(0, 3)
for _ in range(3):
    print(learner.meta_step(next(stream)))
