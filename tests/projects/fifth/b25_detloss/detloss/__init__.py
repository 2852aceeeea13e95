from .focal import FocalLoss, QualityFocalLoss, VarifocalLoss

_TYPES = {c.__name__: c for c in (FocalLoss, QualityFocalLoss, VarifocalLoss)}


def build_loss(cfg):
    args = dict(cfg)
    return _TYPES[args.pop("type")](**args)
