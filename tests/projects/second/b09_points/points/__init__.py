from .set_abstraction import SetAbstraction
from .ops import gather_points, knn
