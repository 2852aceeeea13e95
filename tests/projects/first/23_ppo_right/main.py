import torch

from ppo.algo import PPO, ActorCritic
from ppo.running_stat import RunningMeanStd
from ppo.storage import RolloutStorage


def main(T=8, N=4, O=3):
    torch.manual_seed(0)
    net = ActorCritic(O, 2)
    agent, store, rms = PPO(net), RolloutStorage(T, N, O), RunningMeanStd(O)
    raw = torch.randn(N, O)
    for it in range(3):
        for t in range(T):
            with torch.no_grad():
                dist, v = net(store.obs[t])
                a = dist.sample()
            raw += 0.1 * torch.randn(N, O)
            rms.update(raw)
            store.insert(rms.normalize(raw), a, dist.log_prob(a), v, -raw.norm(dim=1), torch.ones(N))
        with torch.no_grad():
            store.compute_returns(net(store.obs[-1])[1], 0.99, 0.95)
        print(it, agent.update(store))
        store.after_update()


if __name__ == "__main__":
    main()
