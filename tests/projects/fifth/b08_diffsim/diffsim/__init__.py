from .rollout import Rollout, comfort_cost, tracking_cost  # noqa: F401
