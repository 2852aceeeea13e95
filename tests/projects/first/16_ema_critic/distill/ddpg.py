import torch
import torch.nn.functional as F

from .ema import ModelEMA
from .nets import Policy, Value


class Learner:
    """The actor is trained against the averaged critic."""

    def __init__(self, o=4, a=2):
        self.pi, self.q = Policy(o, a), Value(o, a)
        self.q_ema = ModelEMA(self.q)
        self.opt = {
            "pi": torch.optim.Adam(self.pi.parameters(), 1e-3),
            "q": torch.optim.Adam(self.q.parameters(), 1e-3),
        }

    def forward_pi(self, batch):
        return -self.q_ema(batch["o"], self.pi(batch["o"])).mean()

    def forward_q(self, batch):
        with torch.no_grad():
            y = batch["r"] + 0.99 * self.q_ema(batch["o2"], self.pi(batch["o2"]))
        return F.mse_loss(self.q(batch["o"], batch["a"]), y)

    def _apply(self, key, loss):
        self.opt[key].zero_grad()
        loss.backward()
        self.opt[key].step()

    def learn(self, batch):
        pi_loss = self.forward_pi(batch)
        q_loss = self.forward_q(batch)
        self._apply("q", q_loss)
        self.q_ema.update(self.q)
        self._apply("pi", pi_loss)
        return q_loss.item(), pi_loss.item()
