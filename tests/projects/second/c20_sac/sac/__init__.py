from .nets import Actor, Critic
from .agent import SAC
