from .losses import ContrastiveLoss, TripletLoss
from .distances import cdist, cosine
