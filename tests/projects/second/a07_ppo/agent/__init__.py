from .policy import GaussianPolicy
from .ppo import PPO
from .buffer import Rollout
