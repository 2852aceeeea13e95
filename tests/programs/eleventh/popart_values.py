"""Value learning over games with very different reward scales: PopArt heads and n-step targets."""
import torch
import torch.nn as nn


class PopArtHead(nn.Module):
    """Linear value heads, one for each game, that preserve their outputs while the target scale moves."""

    def __init__(self, dim, games, beta=0.1):
        super().__init__()
        self.lin = nn.Linear(dim, games)
        self.beta = beta
        self.register_buffer("mu", torch.zeros(games))
        self.register_buffer("nu", torch.ones(games))
        self.register_buffer("sigma", torch.ones(games))
        self._before = None

    def forward(self, h):
        normed = self.lin(h)
        return normed * self.sigma + self.mu

    @torch.no_grad()
    def observe(self, targets, game):
        """Takes in the statistics of new targets."""
        if self._before is None:
            self._before = self.mu.clone(), self.sigma.clone()
        for g in game.unique().tolist():
            t = targets[game == g]
            self.mu[g] += self.beta * (t.mean() - self.mu[g])
            self.nu[g] += self.beta * (t.pow(2).mean() - self.nu[g])
        spread = (self.nu - self.mu.pow(2)).clamp_min(1e-4).sqrt()
        self.sigma.copy_(spread)  # BUG

    @torch.no_grad()
    def preserve(self):
        """Rescales weights and biases so that the outputs stay as they were."""
        mu, sigma = self._before
        self.lin.weight.mul_((sigma / self.sigma).unsqueeze(1))
        self.lin.bias.mul_(sigma).add_(mu - self.mu).div_(self.sigma)
        self._before = None


class ValueNet(nn.Module):
    def __init__(self, obs, games, width=32):
        super().__init__()
        self.torso = nn.Sequential(nn.Linear(obs, width), nn.ELU(), nn.Linear(width, width), nn.ELU())
        self.head = PopArtHead(width, games)

    def forward(self, obs, game):
        return self.head(self.torso(obs)).gather(1, game.unsqueeze(1)).squeeze(1)


class Games:
    def __init__(self, obs, scales, envs, seed=0):
        self.g = torch.Generator().manual_seed(seed)
        self.obs, self.scales, self.envs = obs, torch.tensor(scales), envs

    def trajectory(self, steps):
        game = torch.randint(0, len(self.scales), (self.envs,), generator=self.g)
        x = torch.randn(steps + 1, self.envs, self.obs, generator=self.g)
        reward = x[:-1, :, 0] * self.scales[game]
        cont = (torch.rand(steps, self.envs, generator=self.g) > 0.1).float()
        return x, reward, cont, game


def n_step_targets(reward, cont, bootstrap, gamma=0.95):
    out = torch.empty_like(reward)
    run = bootstrap
    for t in range(reward.shape[0] - 1, -1, -1):
        run = reward[t] + gamma * cont[t] * run
        out[t] = run
    return out


class Learner:
    def __init__(self, net, lr=1e-3):
        self.net = net
        self.opt = torch.optim.Adam(net.parameters(), lr=lr)

    def update(self, obs, reward, cont, game):
        steps = reward.shape[0]
        tiled = game.expand(steps, -1)
        values = self.net(obs[:-1].flatten(0, 1), tiled.flatten())
        with torch.no_grad():
            boot = self.net(obs[-1], game)
        targets = n_step_targets(reward, cont, boot).flatten()
        head = self.net.head
        head.observe(targets, tiled.flatten())
        scale = head.sigma[tiled.flatten()]
        loss = (((values - targets) / scale) ** 2).mean()
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        head.preserve()
        return loss.item()


# --- driver ---
torch.manual_seed(0)
net = ValueNet(5, 3)
learner = Learner(net)
games = Games(5, [1.0, 10.0, 300.0], envs=9)
print([learner.update(*games.trajectory(6)) for _ in range(3)])
