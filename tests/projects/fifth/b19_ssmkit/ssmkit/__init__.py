from .block import SSMBlock, SSMConfig, SSMStack

__all__ = ["SSMBlock", "SSMConfig", "SSMStack"]
