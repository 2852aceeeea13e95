"""Turn a 2-d image net into a video net: inflate kernels, grow the head, then fine-tune."""
import re
from collections import OrderedDict

import torch
import torch.nn as nn
import torch.nn.functional as F


class ImageNet2d(nn.Module):
    def __init__(self, classes=3, width=4):
        super().__init__()
        self.stem = nn.Conv2d(3, width, 3, padding=1)
        self.bn = nn.BatchNorm2d(width)
        self.block = nn.Conv2d(width, width, 3, padding=1)
        self.head = nn.Linear(width, classes)

    def forward(self, x):
        x = F.relu(self.bn(self.stem(x)))
        return self.head(F.relu(self.block(x)).mean((2, 3)))


class VideoNet3d(nn.Module):
    def __init__(self, classes, width=4):
        super().__init__()
        self.stem = nn.Conv3d(3, width, 3, padding=1)
        self.bn = nn.BatchNorm3d(width)
        self.block = nn.Conv3d(width, width, 3, padding=1)
        self.head = nn.Linear(width, classes)

    def forward(self, clip):
        x = self.bn(self.stem(clip)).relu_()
        y = self.block(x)
        y += x
        return self.head(y.relu_().mean((2, 3, 4)))


RENAMES = [(r"^module\.", ""), (r"^fc\.", "head.")]


def clean_keys(state):
    out = OrderedDict()
    for k, v in state.items():
        for pat, rep in RENAMES:
            k = re.sub(pat, rep, k)
        out[k] = v
    return out


@torch.no_grad()
def inflate_(dst, src, centre=False):
    depth = dst.shape[2]
    if centre:
        dst.zero_()
        dst[:, :, depth // 2] = src
    else:
        dst.copy_(src.unsqueeze(2).expand_as(dst))
        dst.div_(depth)


@torch.no_grad()
def grow_head_(layer, weight, bias, noise=0.01):
    k = weight.shape[0]
    layer.weight[:k].copy_(weight)
    layer.bias[:k].copy_(bias)
    layer.weight[k:].normal_(0, noise)
    layer.bias[k:].fill_(bias.mean())


def transplant(state, target):
    state = clean_keys(state)
    report = []
    for name, p in target.state_dict().items():
        if name not in state or name.startswith("head"):
            continue
        src = state[name]
        if p.dim() == 5:
            inflate_(p, src, centre=name.startswith("block"))
        else:
            p.copy_(src)
        report.append(name)
    grow_head_(target.head, state["head.weight"], state["head.bias"])
    return report


def finetune(model, clips, labels, lr=1e-2, warm=1):
    opt = torch.optim.SGD(model.parameters(), lr=lr)
    for i in range(warm + 1):
        loss = F.cross_entropy(model(clips), labels)
        opt.zero_grad()
        loss.backward()
        if i < warm:
            model.stem.weight.grad.zero_()
        opt.step()


# --- driver ---
torch.manual_seed(48)
src = {"module." + k: v for k, v in ImageNet2d().state_dict().items()}
net = VideoNet3d(5)
transplant(src, net)
finetune(net, torch.randn(2, 3, 4, 6, 6), torch.tensor([0, 4]))
