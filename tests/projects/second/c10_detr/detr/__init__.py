from .boxes import box_cxcywh_to_xyxy, giou
from .head import BoxHead
from .criterion import Criterion
