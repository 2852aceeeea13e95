"""Slide-level prediction from bags of tile embeddings."""
import torch
import torch.nn as nn
import torch.nn.functional as F


class GatedScorer(nn.Module):
    def __init__(self, L, D, K):
        super().__init__()
        self.attention_V = nn.Sequential(nn.Linear(L, D), nn.Tanh())
        self.attention_U = nn.Sequential(nn.Linear(L, D), nn.Sigmoid())
        self.attention_weights = nn.Linear(D, K)

    def forward(self, H):
        return self.attention_weights(self.attention_V(H) * self.attention_U(H))


class BagClassifier(nn.Module):
    def __init__(self, in_dim=20, L=16, D=8, K=2, n_classes=3):
        super().__init__()
        self.K, self.L = K, L
        self.tile = nn.Sequential(nn.Linear(in_dim, L), nn.ReLU())
        self.scorer = GatedScorer(L, D, K)
        self.classifier = nn.Linear(L * K, n_classes)
        self.instance = nn.Linear(L, n_classes)

    def forward(self, bag, keep=None):
        H = self.tile(bag)                       # N x L
        A = self.scorer(H)                       # N x K
        A = torch.transpose(A, 1, 0)             # K x N
        if keep is not None:
            A = A.masked_fill(~keep[None], float('-inf'))
        A = F.softmax(A, dim=1)  # NOT
        M = torch.mm(A, H)                       # K x L
        logits = self.classifier(M.view(1, -1))
        return logits, A

    def instance_loss(self, bag, label):
        _, A = self(bag)
        H = self.tile(bag)
        top = A.mean(0).argsort(descending=True)[:3]
        return F.cross_entropy(self.instance(H[top]), torch.full((3,), label))


# --- driver ---
torch.manual_seed(12)
clf = BagClassifier().double().eval()
RESULTS = []
for n, with_keep in ((14, False), (23, True)):
    bag = torch.randn(n, 20).double().requires_grad_()
    keep = (torch.arange(n) % 4 != 1) if with_keep else None
    clf.zero_grad()
    logits, A = clf(bag, keep)
    loss = F.cross_entropy(logits, torch.tensor([1])) + 0.3 * clf.instance_loss(bag, 2)
    loss.backward()
    RESULTS += [logits.detach(), A.detach(), loss.detach(), bag.grad]
    RESULTS += [p.grad.clone() for p in clf.parameters()]
