from .sam import SAM
from .lookahead import Lookahead
from .step import sam_step
