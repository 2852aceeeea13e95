"""Few-shot classification by class means on the unit sphere, with transductive refinement."""
from dataclasses import dataclass
from typing import Iterator

import torch
import torch.nn as nn
import torch.nn.functional as F


@dataclass
class Episode:
    support: torch.Tensor
    query: torch.Tensor
    ways: int
    shots: int

    @property
    def query_labels(self) -> torch.Tensor:
        return torch.arange(self.ways).repeat_interleave(len(self.query) // self.ways)


class EpisodeSampler:
    def __init__(self, images: torch.Tensor, per_class: int, ways=4, shots=2, queries=3, seed=0):
        self.by_class = images.view(-1, per_class, *images.shape[1:])
        self.ways, self.shots, self.queries = ways, shots, queries
        self.gen = torch.Generator().manual_seed(seed)

    def take(self, n: int) -> Iterator[Episode]:
        for _ in range(n):
            cls = torch.randperm(len(self.by_class), generator=self.gen)[: self.ways]
            order = torch.randperm(self.by_class.shape[1], generator=self.gen)
            pool = self.by_class[cls][:, order]
            yield Episode(pool[:, : self.shots].flatten(0, 1),
                          pool[:, self.shots: self.shots + self.queries].flatten(0, 1), self.ways, self.shots)


def conv4(ch: int, depth: int = 2) -> nn.Sequential:
    layers, c = [], 1
    for _ in range(depth):
        layers += [nn.Conv2d(c, ch, 3, padding=1), nn.BatchNorm2d(ch), nn.ReLU(inplace=True), nn.MaxPool2d(2)]
        c = ch
    return nn.Sequential(*layers, nn.Flatten())


def project_to_sphere(v: torch.Tensor, eps: float = 1e-6) -> torch.Tensor:
    length = v.norm(dim=-1, keepdim=True)
    v /= length + eps  # BUG
    return v


class CosineClassifier(nn.Module):
    def __init__(self, temperature: float = 10.0):
        super().__init__()
        self.log_t = nn.Parameter(torch.tensor(temperature).log_())

    def forward(self, feats: torch.Tensor, protos: torch.Tensor) -> torch.Tensor:
        return self.log_t.exp() * F.normalize(feats, dim=-1) @ protos.T


class ProtoNet(nn.Module):
    def __init__(self, ch: int = 8, refine: int = 1):
        super().__init__()
        self.encoder = conv4(ch)
        self.classifier = CosineClassifier()
        self.refine = refine

    def prototypes(self, feats: torch.Tensor, ep: Episode) -> torch.Tensor:
        return project_to_sphere(feats.view(ep.ways, ep.shots, -1).mean(1))

    def forward(self, ep: Episode) -> torch.Tensor:
        feats = self.encoder(torch.cat([ep.support, ep.query]))
        sup, qry = feats.split([len(ep.support), len(ep.query)])
        protos = self.prototypes(sup, ep)
        for _ in range(self.refine):
            soft = self.classifier(qry, protos).softmax(-1).detach()
            pulled = soft.T @ qry / soft.sum(0).unsqueeze(-1)
            protos = F.normalize(protos + 0.5 * F.normalize(pulled, dim=-1), dim=-1)
        return self.classifier(qry, protos)


def meta_train(model: ProtoNet, sampler: EpisodeSampler, episodes: int) -> float:
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    accuracy = torch.zeros(episodes)
    for i, ep in enumerate(sampler.take(episodes)):
        logits = model(ep)
        loss = F.cross_entropy(logits, ep.query_labels)
        opt.zero_grad()
        loss.backward()
        opt.step()
        accuracy[i] = (logits.argmax(-1) == ep.query_labels).float().mean()
    return accuracy.mean().item()


# --- driver ---
torch.manual_seed(22)
sampler = EpisodeSampler(torch.rand(8 * 6, 1, 8, 8), per_class=6)
meta_train(ProtoNet(), sampler, episodes=3)
