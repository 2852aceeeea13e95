"""Set prediction: query decoder, bipartite (greedy) matching, classification + box losses with auxiliary layers."""
import torch
import torch.nn as nn
import torch.nn.functional as F


def cxcywh_to_xyxy(b):
    c, s = b[..., :2], b[..., 2:]
    return torch.cat([c - s / 2, c + s / 2], -1)


def pairwise_giou(a, b):
    a, b = a[:, None], b[None]
    lt, rb = torch.maximum(a[..., :2], b[..., :2]), torch.minimum(a[..., 2:], b[..., 2:])
    inter = (rb - lt).clamp_(min=0).prod(-1)
    area = lambda t: (t[..., 2] - t[..., 0]) * (t[..., 3] - t[..., 1])
    union = area(a) + area(b) - inter
    hull = torch.maximum(a[..., 2:], b[..., 2:]) - torch.minimum(a[..., :2], b[..., :2])
    hull = hull[..., 0] * hull[..., 1]
    return inter / union - (hull - union) / hull


class GreedyMatcher:
    def __init__(self, w_cls=1.0, w_l1=5.0, w_giou=2.0):
        self.w = (w_cls, w_l1, w_giou)

    @torch.no_grad()
    def __call__(self, logits, boxes, gt_labels, gt_boxes):
        cost = -self.w[0] * logits.softmax(-1)[:, gt_labels]
        cost += self.w[1] * torch.cdist(boxes, gt_boxes, p=1)
        cost -= self.w[2] * pairwise_giou(cxcywh_to_xyxy(boxes), cxcywh_to_xyxy(gt_boxes))
        rows, cols = [], []
        for _ in range(min(cost.shape)):
            r, c = divmod(int(cost.argmin()), cost.shape[1])
            rows.append(r), cols.append(c)
            cost[r, :] = float("inf")
            cost[:, c] = float("inf")
        return torch.tensor(rows), torch.tensor(cols)


class QueryDecoder(nn.Module):
    def __init__(self, dim=16, queries=6, classes=3, layers=2):
        super().__init__()
        self.queries = nn.Parameter(torch.randn(queries, dim))
        self.layers = nn.ModuleList(
            nn.TransformerDecoderLayer(dim, 2, 2 * dim, dropout=0.0, batch_first=True) for _ in range(layers))
        self.cls = nn.Linear(dim, classes + 1)
        self.box = nn.Sequential(nn.Linear(dim, dim), nn.ReLU(inplace=True), nn.Linear(dim, 4))

    def forward(self, memory):
        q = self.queries.expand(len(memory), -1, -1)
        for layer in self.layers:
            q = layer(q, memory)
            yield {"logits": self.cls(q), "boxes": self.box(q).sigmoid_()}


class SetCriterion(nn.Module):
    def __init__(self, matcher, classes, eos=0.1):
        super().__init__()
        self.matcher, self.classes = matcher, classes
        weight = torch.ones(classes + 1)
        weight[-1] = eos
        self.register_buffer("weight", weight)

    def layer_loss(self, out, targets):
        total = 0.0
        for logits, boxes, tgt in zip(out["logits"], out["boxes"], targets):
            rows, cols = self.matcher(logits, boxes, tgt["labels"], tgt["boxes"])
            goal = torch.full((len(logits),), self.classes)
            goal[rows] = tgt["labels"][cols]
            p, t = boxes[rows], tgt["boxes"][cols]
            giou = pairwise_giou(cxcywh_to_xyxy(p), cxcywh_to_xyxy(t)).diagonal()
            total = total + F.cross_entropy(logits, goal, self.weight) + 5 * F.l1_loss(p, t) + 2 * (1 - giou).mean()
        return total / len(targets)

    def forward(self, outputs, targets):
        return torch.stack([self.layer_loss(o, targets) for o in outputs]).sum()


class MiniDETR(nn.Module):
    def __init__(self, dim=16, classes=3):
        super().__init__()
        self.patch = nn.Conv2d(3, dim, 4, stride=4)
        self.pos = nn.Parameter(torch.randn(1, 16, dim) * 0.02)
        self.decoder = QueryDecoder(dim, classes=classes)

    def forward(self, img):
        tokens = self.patch(img).flatten(2).transpose(1, 2)
        tokens += self.pos
        return list(self.decoder(tokens))


# --- driver ---
torch.manual_seed(12)
model, criterion = MiniDETR(), SetCriterion(GreedyMatcher(), 3)
opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
for _ in range(3):
    targets = [{"labels": torch.randint(0, 3, (n,)), "boxes": torch.rand(n, 4) * 0.4 + 0.2} for n in (2, 3)]
    loss = criterion(model(torch.rand(2, 3, 16, 16)), targets)
    opt.zero_grad()
    loss.backward()
    opt.step()
