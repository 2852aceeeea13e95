"""Vehicle routing, single depot: pointer decoder with capacity, trained with a self-critical baseline."""
import torch
import torch.nn as nn


class VRPEnv:
    """Batched capacitated routing. Node 0 is the depot."""

    def __init__(self, xy: torch.Tensor, demand: torch.Tensor, capacity: float = 1.0):
        self.xy, self.capacity = xy, capacity
        self.demand = demand.clone()
        self.demand[:, 0] = 0.0
        self.reset()

    def reset(self):
        b, n = self.demand.shape
        self.left = self.demand.clone()
        self.load = torch.full((b,), self.capacity)
        self.at = torch.zeros(b, dtype=torch.long)
        self.cost = torch.zeros(b)
        return self.feasible()

    def feasible(self) -> torch.Tensor:
        ok = (self.left > 0) & (self.left <= self.load.unsqueeze(1))
        ok[:, 0] = (self.at != 0) | ~ok[:, 1:].any(1)
        return ok

    def step(self, node: torch.Tensor) -> torch.Tensor:
        rows = torch.arange(len(node))
        self.cost += (self.xy[rows, node] - self.xy[rows, self.at]).norm(dim=-1)
        self.load -= self.left[rows, node]
        self.load[node == 0] = self.capacity
        self.left[rows, node] = 0.0
        self.at = node
        return self.feasible()

    @property
    def finished(self) -> bool:
        return bool((self.left == 0).all())


class Policy(nn.Module):
    def __init__(self, width: int = 24):
        super().__init__()
        self.node = nn.Sequential(nn.Linear(3, width), nn.ReLU(inplace=True), nn.Linear(width, width))
        self.query = nn.Linear(width + 1, width)

    def embed(self, env: VRPEnv) -> torch.Tensor:
        return self.node(torch.cat([env.xy, env.demand.unsqueeze(-1)], -1))

    def logits(self, emb, env, ok):
        here = emb[torch.arange(emb.shape[0]), env.at]
        q = self.query(torch.cat([here, env.load.unsqueeze(1)], -1))
        scores = (emb @ q.unsqueeze(-1)).squeeze(-1)
        scores.masked_fill_(~ok, -1e9)
        return scores


def rollout(policy: Policy, env: VRPEnv, sample: bool, limit: int = 24):
    ok = env.reset()
    emb = policy.embed(env)
    total = emb.new_zeros(emb.shape[0])
    for _ in range(limit):
        if env.finished:
            break
        dist = torch.distributions.Categorical(logits=policy.logits(emb, env, ok))
        node = dist.sample() if sample else dist.probs.argmax(-1)
        total += dist.log_prob(node)
        ok = env.step(node)
    return env.cost.clone(), total


def train(policy, make_env, iterations=4):
    opt = torch.optim.Adam(policy.parameters(), lr=1e-3)
    for it in range(iterations):
        env = make_env()
        with torch.no_grad():
            greedy_cost, _ = rollout(policy, env, sample=False)
        cost, logp = rollout(policy, env, sample=True)
        adv = cost - greedy_cost
        adv.sub_(adv.mean()).div_(adv.std().clamp_min_(1e-6))
        loss = (adv * logp).mean()
        opt.zero_grad(set_to_none=True)
        loss.backward()
        opt.step()
        print(it, round(cost.mean().item(), 3))


# --- driver ---
torch.manual_seed(3)
train(Policy(), lambda: VRPEnv(torch.rand(6, 7, 2), torch.rand(6, 7) * 0.4 + 0.05))
