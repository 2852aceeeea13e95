import torch.nn as nn


def disable_running_stats(model):
    def f(m):
        if isinstance(m, nn.modules.batchnorm._BatchNorm):
            m.backup_momentum = m.momentum
            m.momentum = 0
    model.apply(f)


def enable_running_stats(model):
    def f(m):
        if isinstance(m, nn.modules.batchnorm._BatchNorm) and hasattr(m, "backup_momentum"):
            m.momentum = m.backup_momentum
    model.apply(f)
