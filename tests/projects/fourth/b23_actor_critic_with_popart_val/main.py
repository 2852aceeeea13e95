import torch

from valuelib.agent import PPOLikeAgent
from valuelib.config import make_config
from valuelib.env import ScaleShiftEnv


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    cfg = make_config(["normalizer=popart", "updates=10", "batch=16"])
    env = ScaleShiftEnv(cfg["obs_dim"], cfg["n_actions"])
    agent = PPOLikeAgent.from_config(cfg)
    for i in range(cfg["updates"]):
        log = agent.update(env.rollout(agent, cfg["batch"]))
        if i % 3 == 0:
            print(i, {k: round(v, 4) for k, v in log.items()})


if __name__ == "__main__":
    main()
