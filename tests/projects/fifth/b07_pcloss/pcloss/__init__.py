from .metrics import ChamferLoss, EnergyDistance, RepulsionLoss

LOSSES = {"chamfer": ChamferLoss, "repulsion": RepulsionLoss, "energy": EnergyDistance}


def build_loss(cfg):
    """cfg: dict with "type" (a key of LOSSES) and the arguments of it."""
    cfg = dict(cfg)
    return LOSSES[cfg.pop("type")](**cfg)
