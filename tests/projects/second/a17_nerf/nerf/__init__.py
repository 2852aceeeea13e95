from .fields import RadianceField
from .render import volume_render
