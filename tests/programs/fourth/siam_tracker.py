from collections import deque

import torch
import torch.nn as nn
import torch.nn.functional as F


def cosine_window(n):
    w = torch.hann_window(n + 2, periodic=False)[1:-1]
    win = torch.outer(w, w)
    win /= win.sum()
    return win


def gaussian_labels(size, centers, sigma=1.0):
    ys, xs = torch.meshgrid(torch.arange(size), torch.arange(size), indexing="ij")
    d = (xs - centers[:, 0, None, None]) ** 2 + (ys - centers[:, 1, None, None]) ** 2
    lab = torch.exp(-d / (2 * sigma ** 2))
    lab[lab < 0.05] = 0
    return lab


class Backbone(nn.Module):
    def __init__(self, ch=8):
        super().__init__()
        self.c1 = nn.Conv2d(3, ch, 3, padding=1)
        self.b1 = nn.BatchNorm2d(ch)
        self.c2 = nn.Conv2d(ch, ch, 3, padding=1)
        self.gain = nn.Parameter(torch.ones(ch, 1, 1))

    def forward(self, x):
        x = self.b1(self.c1(x))
        x.relu_()
        x = self.c2(x)
        x += 0.01
        return x * self.gain


class Head(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.tensor(0.1))
        self.shift = nn.Parameter(torch.zeros(1))

    def forward(self, z, x):
        b, c, h, w = x.shape
        r = F.conv2d(x.reshape(1, b * c, h, w), z, groups=b)
        r = r.transpose(0, 1).squeeze(1) * self.scale
        r += self.shift
        return r


class SiamTracker(nn.Module):
    def __init__(self):
        super().__init__()
        self.backbone, self.head = Backbone(), Head()

    def forward(self, template, search):
        return self.head(self.backbone(template), self.backbone(search))


class OnlineState:
    def __init__(self, template_feat, rate=0.1, history=4):
        self.template, self.rate = template_feat.clone(), rate
        self.peaks = deque(maxlen=history)

    def blend(self, feat):
        self.template.mul_(1 - self.rate).add_(feat, alpha=self.rate)


@torch.no_grad()
def track(model, template, frames, penalty=0.3):
    model.eval()
    state = OnlineState(model.backbone(template))
    path = []
    for frame in frames:
        feat = model.backbone(frame)
        score = model.head(state.template, feat)[0].sigmoid_()
        score.mul_(1 - penalty).add_(cosine_window(len(score)), alpha=penalty)
        k = int(score.argmax())
        y, x = divmod(k, score.shape[1])
        state.peaks.append(score.max().item())
        state.blend(feat[:, :, y:y + template.shape[2], x:x + template.shape[3]])
        path.append((x, y))
    return path


def balanced_bce(logits, label):
    weight = torch.empty_like(logits)
    pos = label > 0.5
    weight[pos] = 0.5 / pos.sum()
    weight[~pos] = 0.5 / (~pos).sum()
    return F.binary_cross_entropy_with_logits(logits, label, weight, reduction="sum")


def train(model, pairs, lr=1e-2):
    opt = torch.optim.SGD(model.parameters(), lr, momentum=0.9)
    for template, search, center in pairs:
        logits = model(template, search)
        loss = balanced_bce(logits, gaussian_labels(logits.shape[-1], center))
        opt.zero_grad()
        loss.backward()
        opt.step()


# --- driver ---
torch.manual_seed(0)
model = SiamTracker()
train(model, [(torch.rand(2, 3, 4, 4), torch.rand(2, 3, 9, 9), torch.tensor([[2, 3], [3, 1]])) for _ in range(2)])
track(model, torch.rand(1, 3, 4, 4), [torch.rand(1, 3, 9, 9) for _ in range(2)])
