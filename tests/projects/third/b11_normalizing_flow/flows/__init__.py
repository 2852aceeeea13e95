from .layers import AffineCoupling, ActNorm, Flip
from .model import Flow, build_flow
