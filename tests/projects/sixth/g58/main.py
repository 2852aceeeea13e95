import torch
import torch.nn as nn
import torch.nn.functional as F


class FreezeParameters:
    def __init__(self, *modules):
        self.params = [p for m in modules for p in m.parameters()]
        self.states = [p.requires_grad for p in self.params]

    def __enter__(self):
        for p in self.params:
            p.requires_grad = False

    def __exit__(self, *exc):
        for p, s in zip(self.params, self.states):
            p.requires_grad = s


class World(nn.Module):
    def __init__(self, obs, act, z=10):
        super().__init__()
        self.post = nn.Linear(obs + z, z)
        self.dyn = nn.GRUCell(act, z)
        self.dec = nn.Sequential(nn.Linear(z, 24), nn.ReLU(inplace=True), nn.Linear(24, obs))
        self.rew = nn.Linear(z, 1)
        self.z = z

    def observe(self, obs, act):
        T, B, _ = obs.shape
        z = obs.new_zeros(B, self.z)
        zs = torch.zeros(T, B, self.z)
        for t in range(T):
            prior = self.dyn(act[t], z)
            z = torch.tanh(self.post(torch.cat([obs[t], prior], 1)))
            zs[t] = z
        return zs

    def step(self, z, a):
        return self.dyn(a, z)


def lambda_return(rew, val, boot, gamma=0.95, lam=0.9):
    T = rew.size(0)
    nxt = torch.cat([val[1:], boot[None]])
    inputs = rew + gamma * (1 - lam) * nxt
    out = [None] * T
    last = boot
    for t in reversed(range(T)):
        last = inputs[t] + gamma * lam * last
        out[t] = last
    return torch.stack(out)


def imagine(world, actor, start, H):
    B, Z = start.shape
    zs = start.new_zeros(H, B, Z)
    z = start
    for h in range(H):
        a = actor(z.detach()).tanh_()
        z = world.step(z, a)
        zs[h].copy_(z)
    return zs


def main():
    torch.manual_seed(58)
    torch.set_num_threads(1)
    world = World(3, 2)
    actor = nn.Sequential(nn.Linear(10, 24), nn.ELU(inplace=False), nn.Linear(24, 2))
    critic = nn.Sequential(nn.Linear(10, 24), nn.ELU(), nn.Linear(24, 1))
    ow, oa, oc = (torch.optim.Adam(m.parameters(), 3e-3) for m in (world, actor, critic))
    B, T = 8, 6
    for it in range(6):
        act = torch.rand(T, B, 2).mul_(2).sub_(1)
        obs = torch.zeros(T, B, 3)
        obs[0].normal_()
        for t in range(1, T):
            obs[t] = 0.9 * obs[t - 1]
            obs[t, :, :2] += 0.3 * act[t]
        reward = -obs.abs().sum(-1, keepdim=True)

        zs = world.observe(obs, act)
        model_loss = F.mse_loss(world.dec(zs), obs)
        model_loss += F.mse_loss(world.rew(zs), reward)
        ow.zero_grad()
        model_loss.backward()
        ow.step()

        start = zs.detach().reshape(-1, 10).clone()
        with FreezeParameters(world, critic):
            im = imagine(world, actor, start, 4)
            r, v = world.rew(im), critic(im)
            returns = lambda_return(r[:-1], v[:-1], v[-1])
            actor_loss = -returns.mean()
        oa.zero_grad()
        actor_loss.backward()
        oa.step()

        target = returns.detach()
        value_loss = F.mse_loss(critic(im[:-1].detach()), target)
        oc.zero_grad()
        value_loss.backward()
        oc.step()
        print(it, *(round(l.item(), 4) for l in (model_loss, actor_loss, value_loss)))


if __name__ == "__main__":
    main()
