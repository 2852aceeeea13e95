"""TextCNN with a trainable embedding table whose padding row stays at zero."""
import torch
import torch.nn as nn
import torch.nn.functional as F

PAD, UNK = 0, 1


class Vocabulary:
    def __init__(self, texts):
        self.stoi = {"<pad>": PAD, "<unk>": UNK}
        for t in texts:
            for w in t.split():
                self.stoi.setdefault(w, len(self.stoi))

    def __len__(self):
        return len(self.stoi)

    def encode(self, text, n):
        ids = [self.stoi.get(w, UNK) for w in text.split()][:n]
        return ids + [PAD] * (n - len(ids))


class WordTable(nn.Module):
    def __init__(self, n, dim):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(n, dim))
        self.reset_parameters()

    def reset_parameters(self):
        nn.init.normal_(self.weight, std=0.1)

    def forward(self, ids):
        self.weight[PAD] = 0.0  # BUG
        return F.embedding(ids, self.weight)


class TextCNN(nn.Module):
    def __init__(self, n_words, dim=16, widths=(2, 3), maps=8, classes=2):
        super().__init__()
        self.table = WordTable(n_words, dim)
        self.convs = nn.ModuleList(nn.Conv1d(dim, maps, w) for w in widths)
        self.drop = nn.Dropout(0.2)
        self.fc = nn.Linear(maps * len(widths), classes)

    def forward(self, ids):
        x = self.table(ids).transpose(1, 2)
        feats = []
        for conv in self.convs:
            h = F.relu(conv(x), inplace=True)
            feats.append(h.max(dim=-1).values)
        return self.fc(self.drop(torch.cat(feats, dim=1)))


def make_batch(vocab, rows, n=8):
    ids = torch.tensor([vocab.encode(t, n) for t, _ in rows])
    labels = torch.tensor([y for _, y in rows])
    return ids, labels


def fit(model, vocab, rows, epochs=1, lr=1e-2):
    opt = torch.optim.Adam(model.parameters(), lr=lr)
    for epoch in range(epochs):
        ids, labels = make_batch(vocab, rows)
        logits = model(ids)
        loss = F.cross_entropy(logits, labels)
        opt.zero_grad()
        loss.backward()
        opt.step()
        acc = (logits.argmax(1) == labels).float().mean().item()
        print(f"epoch {epoch} loss {loss.item():.3f} acc {acc:.2f}")


# --- driver ---
torch.manual_seed(0)
ROWS = [("a fine and moving film", 1), ("dull plot and worse acting", 0), ("a joy", 1), ("never again", 0)]
vocab = Vocabulary([t for t, _ in ROWS])
fit(TextCNN(len(vocab)), vocab, ROWS)
