from .anchor_free_head import AnchorFreeHead, Scale
from .fcos_head import FCOSHead

HEADS = {"FCOSHead": FCOSHead}


def build_head(cfg):
    cfg = dict(cfg)
    return HEADS[cfg.pop("type")](**cfg)
