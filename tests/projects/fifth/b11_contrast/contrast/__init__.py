from .moco import MoCo, MoCoConfig, mlp_encoder

__all__ = ["MoCo", "MoCoConfig", "mlp_encoder"]
