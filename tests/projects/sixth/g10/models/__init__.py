from .resnet import ResNet, BasicBlock
