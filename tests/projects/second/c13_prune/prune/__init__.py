from .masks import MaskedLinear, global_prune_
