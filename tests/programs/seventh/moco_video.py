import copy
import torch
from torch import nn
import torch.nn.functional as F


class ClipEncoder(nn.Module):
    def __init__(self, dim=8):
        super().__init__()
        self.net = nn.Sequential(
            nn.Conv3d(1, 4, 3, stride=(1, 2, 2), padding=1), nn.BatchNorm3d(4), nn.ReLU(inplace=True),
            nn.Conv3d(4, 8, 3, stride=2, padding=1), nn.BatchNorm3d(8), nn.ReLU(inplace=True),
            nn.AdaptiveAvgPool3d(1), nn.Flatten(), nn.Linear(8, dim),
        )

    def forward(self, x):
        return F.normalize(self.net(x), dim=1)


class MoCo(nn.Module):
    def __init__(self, dim=8, K=16, m=0.99, T=0.07):
        super().__init__()
        self.K, self.m, self.T = K, m, T
        self.encoder_q = ClipEncoder(dim)
        self.encoder_k = copy.deepcopy(self.encoder_q)
        for p in self.encoder_k.parameters():
            p.requires_grad = False
        self.register_buffer("queue", F.normalize(torch.randn(dim, K), dim=0))
        self.register_buffer("queue_ptr", torch.zeros(1, dtype=torch.long))

    @torch.no_grad()
    def _momentum_update(self):
        for q, k in zip(self.encoder_q.parameters(), self.encoder_k.parameters()):
            k.data = k.data * self.m + q.data * (1.0 - self.m)

    @torch.no_grad()
    def _enqueue(self, keys):
        b, ptr = keys.shape[0], int(self.queue_ptr)
        assert self.K % b == 0
        self.queue[:, ptr:ptr + b] = keys.T
        self.queue_ptr[0] = (ptr + b) % self.K

    @torch.no_grad()
    def _shuffled_keys(self, im_k):
        perm = torch.randperm(len(im_k))
        inverse = torch.empty_like(perm)
        inverse[perm] = torch.arange(len(perm))
        return self.encoder_k(im_k[perm])[inverse]

    def forward(self, im_q, im_k):
        q = self.encoder_q(im_q)
        with torch.no_grad():
            self._momentum_update()
            k = self._shuffled_keys(im_k)
        l_pos = torch.einsum("nc,nc->n", q, k).unsqueeze(-1)
        l_neg = torch.einsum("nc,ck->nk", q, self.queue.clone())
        logits = torch.cat([l_pos, l_neg], dim=1)
        logits /= self.T
        labels = torch.zeros(logits.shape[0], dtype=torch.long)
        self._enqueue(k)
        return logits, labels


def augment(clip):
    clip = clip.flip(-1) if torch.rand(()) < 0.5 else clip.clone()
    clip.mul_(1 + 0.1 * torch.randn(clip.size(0), 1, 1, 1, 1))
    h = int(torch.randint(0, clip.size(-2) - 2, ()))
    clip[..., h:h + 2, :] = clip.mean()
    return clip


def accuracy(output, target, topk=(1, 3)):
    with torch.no_grad():
        _, pred = output.topk(max(topk), 1)
        correct = pred.t().eq(target.view(1, -1).expand_as(pred.t()))
        return [correct[:k].reshape(-1).float().sum().mul_(100.0 / target.size(0)).item() for k in topk]


def train(model, clips, epochs):
    opt = torch.optim.SGD(model.encoder_q.parameters(), 0.03, momentum=0.9, weight_decay=1e-4)
    for _ in range(epochs):
        for c in clips:
            out, tgt = model(augment(c), augment(c))
            loss = F.cross_entropy(out, tgt)
            accuracy(out, tgt)
            opt.zero_grad()
            loss.backward()
            opt.step()


# --- driver ---
torch.manual_seed(0)
train(MoCo(), [torch.randn(4, 1, 4, 8, 8) for _ in range(2)], 1)
