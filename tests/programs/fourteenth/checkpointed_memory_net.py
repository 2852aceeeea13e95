"""Retrieval-augmented encoder: each layer reads a shared prototype memory; layers are rematerialised."""
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.checkpoint import checkpoint


class PrototypeMemory(nn.Module):
    def __init__(self, slots, dim, momentum=0.8):
        super().__init__()
        self.momentum = momentum
        self.register_buffer("proto", F.normalize(torch.randn(slots, dim), dim=-1))

    def read(self, x, temperature=0.3):
        address = torch.softmax(F.normalize(x, dim=-1) @ self.proto.t() / temperature, dim=-1)
        return address @ self.proto

    @torch.no_grad()
    def write(self, x):
        flat = F.normalize(x.reshape(-1, x.size(-1)), dim=-1)
        owner = (flat @ self.proto.t()).argmax(1)
        for slot in owner.unique():
            centre = flat[owner == slot].mean(0)
            self.proto[slot].lerp_(centre, 1 - self.momentum)  # BUG silent


class MemoryLayer(nn.Module):
    def __init__(self, dim, memory):
        super().__init__()
        self.norm = nn.LayerNorm(dim)
        self.query = nn.Linear(dim, dim)
        self.out = nn.Linear(dim, dim)
        self.memory = [memory]

    def forward(self, x):
        found = self.memory[0].read(self.query(self.norm(x)))
        return x + F.gelu(self.out(found))


class MemoryEncoder(nn.Module):
    def __init__(self, d_in, dim=16, depth=3, slots=10, remat=True):
        super().__init__()
        self.remat = remat
        self.memory = PrototypeMemory(slots, dim)
        self.lift = nn.Linear(d_in, dim)
        self.layers = nn.ModuleList(MemoryLayer(dim, self.memory) for _ in range(depth))

    def forward(self, x):
        x = self.lift(x)
        for layer in self.layers:
            x = checkpoint(layer, x, use_reentrant=False) if self.remat and self.training else layer(x)
        if self.training:
            self.memory.write(x.detach())
        return x


class Classifier(nn.Module):
    def __init__(self, encoder, dim, classes):
        super().__init__()
        self.encoder = encoder
        self.head = nn.Linear(dim, classes)

    def forward(self, x):
        return self.head(self.encoder(x).mean(1))


def train(model, batches, lr=1e-2):
    optimizer = torch.optim.AdamW(model.parameters(), lr=lr)
    model.train()
    for x, y in batches:
        loss = F.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        yield loss.item()


# --- driver ---
torch.manual_seed(3)
model = Classifier(MemoryEncoder(d_in=5), dim=16, classes=3)
data = [(torch.randn(6, 4, 5), torch.randint(0, 3, (6,))) for _ in range(3)]
print(list(train(model, data)))
