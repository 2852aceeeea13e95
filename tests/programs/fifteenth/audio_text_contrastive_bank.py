"""Audio-text contrastive learning with a bank of past text embeddings."""
import torch
import torch.nn as nn
import torch.nn.functional as F


class EmbeddingBank(nn.Module):
    def __init__(self, dim, capacity):
        super().__init__()
        self.capacity = capacity
        self.register_buffer("store", F.normalize(torch.randn(dim, capacity), dim=0))
        self.register_buffer("age", torch.zeros(capacity, dtype=torch.long))
        self.head = 0

    def snapshot(self):
        return self.store.clone()

    @torch.no_grad()
    def extend(self, z):
        n = z.size(0)
        stop = self.head + n
        if stop <= self.capacity:
            self.store[:, self.head:stop] = z.t()
        else:
            cut = self.capacity - self.head
            self.store[:, self.head:] = z[:cut].t()
            self.store[:, : n - cut] = z[cut:].t()
        self.age += 1
        self.age[torch.arange(self.head, stop) % self.capacity] = 0
        self.head = stop % self.capacity


class AudioTower(nn.Module):
    def __init__(self, mels, dim):
        super().__init__()
        self.net = nn.Sequential(nn.Conv1d(mels, dim, 3, 2, 1), nn.ReLU(), nn.Conv1d(dim, dim, 3, 2, 1))

    def forward(self, mel):
        return F.normalize(self.net(mel).mean(-1), dim=-1)


class TextTower(nn.Module):
    def __init__(self, vocab, dim):
        super().__init__()
        self.bag = nn.EmbeddingBag(vocab, dim, mode="mean")
        self.proj = nn.Linear(dim, dim)

    def forward(self, ids):
        return F.normalize(self.proj(self.bag(ids)), dim=-1)


class CLAP(nn.Module):
    def __init__(self, mels=16, vocab=50, dim=24, capacity=20):
        super().__init__()
        self.audio, self.text = AudioTower(mels, dim), TextTower(vocab, dim)
        self.bank = EmbeddingBank(dim, capacity)
        self.log_scale = nn.Parameter(torch.tensor(2.0))

    def forward(self, mel, ids):
        a, t = self.audio(mel), self.text(ids)
        scale = self.log_scale.exp()
        inside = a @ t.t()
        outside = a @ self.bank.snapshot()
        target = torch.arange(len(a))
        a2t = F.cross_entropy(scale * torch.cat([inside, outside], 1), target)
        t2a = F.cross_entropy(scale * inside.t(), target)
        self.bank.extend(t.detach())
        return 0.5 * (a2t + t2a)


def limit_temperature(model, top=4.6052):
    with torch.no_grad():
        model.log_scale.clamp_(0.0, top)


# --- driver ---
def main():
    torch.set_num_threads(1)
    torch.manual_seed(0)
    model = CLAP()
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    for step in range(4):
        mel, ids = torch.randn(6, 16, 20), torch.randint(0, 50, (6, 5))
        loss = model(mel, ids)
        opt.zero_grad()
        loss.backward()
        opt.step()
        limit_temperature(model)
        print(step, f"{loss.item():.4f}", "oldest", int(model.bank.age.max()))


if __name__ == "__main__":
    main()
