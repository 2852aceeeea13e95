import torch
import torch.nn.functional as F
from blocks import GPT


def get_batch(data, bs, t):
    ix = torch.randint(len(data) - t - 1, (bs,))
    x = torch.stack([data[i:i + t] for i in ix])
    y = torch.stack([data[i + 1:i + t + 1] for i in ix])
    return x, y


torch.manual_seed(1337)
data = (torch.arange(2000) * 7 % 32 + torch.randint(0, 2, (2000,))) % 32
model = GPT(grad_checkpoint=True)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)

for it in range(8):
    xb, yb = get_batch(data, 8, 16)
    logits = model(xb)
    loss = F.cross_entropy(logits.view(-1, 32), yb.view(-1))
    optimizer.zero_grad(set_to_none=True)
    loss.backward()
    optimizer.step()
    if it % 2 == 0:
        print(f"iter {it}: loss {loss.item():.4f}")
