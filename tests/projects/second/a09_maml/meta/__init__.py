from .learner import Learner
from .maml import MAML
