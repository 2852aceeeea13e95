from .averaging import Averager
from .schedule import warmup_cosine
