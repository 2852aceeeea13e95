from .networks import DuelingNet
from .replay import Replay
from .agents import DoubleDQN
