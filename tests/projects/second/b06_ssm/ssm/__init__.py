from .layer import SSMLayer
from .scan import linear_scan
