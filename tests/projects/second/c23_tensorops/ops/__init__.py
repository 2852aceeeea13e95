from .activation import sq_relu, SoftThreshold
from .custom import ClampGrad
