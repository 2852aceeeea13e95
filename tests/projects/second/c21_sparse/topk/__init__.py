from .sae import SAE
from .utils import normalise_decoder_
