import torch
import torch.nn.functional as F
from w2v.data import CBOW
from w2v.model import TiedPredictor

torch.manual_seed(0)
data = CBOW(window=2)
model = TiedPredictor(len(data), 24, max_norm=1.0)
opt = torch.optim.Adam(model.parameters(), lr=5e-3)

for epoch in range(5):
    total = n = 0
    for ctx, word in data.batches(8):
        logits = model(ctx)
        loss = F.cross_entropy(logits, word)
        opt.zero_grad()
        loss.backward()
        opt.step()
        total += loss.item() * len(word)
        n += len(word)
    print(f"epoch {epoch}: {total / n:.4f}")
