import torch

from ppo.env import LineWorld
from ppo.policy import Policy
from ppo.runner import Runner

torch.manual_seed(0)
env = LineWorld(4)
runner = Runner(env, Policy(4, 2))
runner.train(3)
