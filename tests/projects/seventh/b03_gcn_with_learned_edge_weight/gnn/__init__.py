from .conv import WeightedGCNConv
