from .conv import GCNConv, SAGEConv
from .net import Net
