import torch

from onpolicy.algos import ALGOS
from onpolicy.env import GridTask
from onpolicy.loop import train
from types import SimpleNamespace

HP = SimpleNamespace(
    algo="a2c", n_envs=3, horizon=5, obs_dim=6, actions=4, lr=2e-3,
    gamma=0.97, lam=0.9, updates=8, vf_coef=0.5, seed=7)


def main():
    torch.manual_seed(HP.seed)
    torch.set_num_threads(1)
    env = GridTask(HP.n_envs, HP.obs_dim, HP.actions)
    algo = ALGOS[HP.algo](HP)
    for i, info in enumerate(train(env, algo, HP)):
        if i % 3 == 0:
            print(i, info)


if __name__ == "__main__":
    main()
