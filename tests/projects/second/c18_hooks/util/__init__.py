from .stats import ActivationStats
from .gradcam import GradCAM
