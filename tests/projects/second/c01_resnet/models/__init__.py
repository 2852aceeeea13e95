from .blocks import BasicBlock
from .resnet import ResNet
