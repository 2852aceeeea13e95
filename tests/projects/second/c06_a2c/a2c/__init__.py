from .storage import Storage
from .model import ActorCritic
from .algo import A2C
