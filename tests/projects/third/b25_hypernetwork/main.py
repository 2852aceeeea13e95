"""
Hypernetwork which generates the weights of a small regression MLP per task embedding.
"""
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(7)
torch.set_num_threads(1)

N_TASKS = 3
SHAPES = [('w1', (16, 1)), ('b1', (16,)), ('w2', (1, 16)), ('b2', (1,))]


def numel(shape):
    n = 1
    for s in shape:
        n *= s
    return n


class HyperNet(nn.Module):
    def __init__(self, n_tasks, emb=8, hidden=32):
        super().__init__()
        self.task_emb = nn.Embedding(n_tasks, emb)
        self.trunk = nn.Sequential(nn.Linear(emb, hidden), nn.ReLU(inplace=True))
        self.heads = nn.ModuleDict({k: nn.Linear(hidden, numel(s)) for k, s in SHAPES})
        with torch.no_grad():
            for h in self.heads.values():
                h.weight.mul_(0.3)
        self._cache = {}

    def generate(self, task):
        h = self.trunk(self.task_emb(torch.tensor(task)))
        return {k: self.heads[k](h).view(s) for k, s in SHAPES}

    def weights(self, task):
        # generating is the expensive bit, do it once per task
        if task not in self._cache:
            self._cache[task] = self.generate(task)
        return self._cache[task]

    def invalidate(self):
        self._cache.clear()


class TargetNet(nn.Module):
    def __init__(self, hyper):
        super().__init__()
        self.hyper = hyper

    def forward(self, x, task):
        w = self.hyper.weights(task)
        x = torch.tanh(F.linear(x, w['w1'], w['b1']))
        return F.linear(x, w['w2'], w['b2'])


def task_batch(task, n=16):
    x = torch.rand(n, 1)
    x.sub_(0.5).mul_(4)
    return x, torch.sin((task + 1) * x)


def train(n_iter=4):
    hyper = HyperNet(N_TASKS)
    net = TargetNet(hyper)
    opt = torch.optim.Adam(hyper.parameters(), lr=1e-2)
    ema = torch.zeros(N_TASKS)
    for it in range(n_iter):
        opt.zero_grad()
        total = 0
        for task in range(N_TASKS):
            x, y = task_batch(task)
            loss = F.mse_loss(net(x, task), y)
            total = total + loss
            ema[task] *= 0.9
            ema[task] += 0.1 * loss.item()
        # second call of backward() complains without retain_graph
        total.backward(retain_graph=True)
        opt.step()  # BUG
        print('it %d  ema %s' % (it, [round(v, 3) for v in ema.tolist()]))


train()
