from .egnn import EGNN, EGNNLayer
