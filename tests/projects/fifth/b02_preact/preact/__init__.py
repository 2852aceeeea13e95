from .resnet import PreActBlock, PreActBottleneck, PreActResNet  # noqa: F401
