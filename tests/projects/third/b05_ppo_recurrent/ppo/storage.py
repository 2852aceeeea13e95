from dataclasses import dataclass, field
import torch


@dataclass
class Rollout:
    obs: list = field(default_factory=list)
    actions: list = field(default_factory=list)
    logp: list = field(default_factory=list)
    values: list = field(default_factory=list)
    rewards: list = field(default_factory=list)
    dones: list = field(default_factory=list)

    def add(self, **kw):
        for k, v in kw.items():
            getattr(self, k).append(v)

    def finish(self, last_value, gamma=0.99, lam=0.95):
        out = {k: torch.stack(v) for k, v in self.__dict__.items()}
        T, N = out["rewards"].shape
        adv = torch.zeros(T, N)
        gae = torch.zeros(N)
        values = torch.cat([out["values"].detach(), last_value.detach()[None]])
        for t in reversed(range(T)):
            nd = 1.0 - out["dones"][t]
            delta = out["rewards"][t] + gamma * values[t + 1] * nd - values[t]
            gae = delta + gamma * lam * nd * gae
            adv[t] = gae
        out["returns"] = adv + values[:-1]
        adv -= adv.mean()
        adv /= adv.std() + 1e-8
        out["adv"] = adv
        return out
