from .coupling import AffineCoupling
from .base import FlowSequence
