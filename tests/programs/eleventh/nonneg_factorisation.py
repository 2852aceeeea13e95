"""Non-negative matrix factorisation recommender with biases, trained by a small callback-driven loop."""
import numpy as np
import torch
import torch.nn as nn


class NonNegMF(nn.Module):
    def __init__(self, users, items, rank=6):
        super().__init__()
        self.user = nn.Parameter(torch.randn(users, rank) * 0.3 + 0.3)
        self.item = nn.Parameter(torch.randn(items, rank) * 0.3 + 0.3)
        self.user_bias = nn.Parameter(torch.zeros(users))
        self.item_bias = nn.Parameter(torch.zeros(items))

    def forward(self):
        return self.user @ self.item.T + self.user_bias[:, None] + self.item_bias

    def factors(self):
        return self.user, self.item

    def top(self, user, n=5, seen=None):
        with torch.no_grad():
            row = self()[user]
            if seen is not None:
                row[seen] = -np.inf
            return row.topk(n).indices


class Callback:
    def on_start(self, loop): ...
    def on_loss(self, loop, loss): ...
    def on_step(self, loop): ...
    def on_end(self, loop): ...


class Recorder(Callback):
    def on_start(self, loop):
        self.values = []

    def on_loss(self, loop, loss):
        self.values.append(float(loss))


class NonNegative(Callback):
    """Keeps the factors in the positive orthant."""

    def __init__(self, floor=0.0):
        self.floor = floor

    def on_loss(self, loop, loss):
        for f in loop.model.factors():
            f.data.clamp_(min=self.floor)  # BUG silent


class Shrink(Callback):
    def __init__(self, rate):
        self.rate = rate

    @torch.no_grad()
    def on_step(self, loop):
        loop.model.user_bias.mul_(1 - self.rate)
        loop.model.item_bias.mul_(1 - self.rate)


class Loop:
    def __init__(self, model, ratings, mask, callbacks, lr=0.05, l2=1e-3):
        self.model, self.ratings, self.mask = model, ratings, mask
        self.callbacks, self.l2 = callbacks, l2
        self.opt = torch.optim.Adagrad(model.parameters(), lr=lr)

    def emit(self, event, *args):
        for cb in self.callbacks:
            getattr(cb, f"on_{event}")(self, *args)

    def objective(self):
        err = (self.model() - self.ratings)[self.mask]
        reg = sum(f.square().mean() for f in self.model.factors())
        return err.square().mean() + self.l2 * reg

    def run(self, steps):
        self.emit("start")
        for _ in range(steps):
            loss = self.objective()
            self.emit("loss", loss)
            self.opt.zero_grad()
            loss.backward()
            self.opt.step()
            self.emit("step")
        self.emit("end")


def synthetic_ratings(users, items, seed):
    rng = np.random.default_rng(seed)
    taste = rng.gamma(1.0, 1.0, (users, 3)) @ rng.gamma(1.0, 1.0, (3, items))
    mask = rng.random((users, items)) < 0.3
    return torch.tensor(taste, dtype=torch.float32), torch.tensor(mask)


# --- driver ---
torch.manual_seed(0)
ratings, mask = synthetic_ratings(20, 30, seed=0)
rec = Recorder()
model = NonNegMF(20, 30)
Loop(model, ratings, mask, [rec, NonNegative(), Shrink(0.01)]).run(4)
print(rec.values, model.top(3, seen=mask[3]))
