from .head import OnlineClusterHead  # noqa: F401
