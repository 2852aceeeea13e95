import torch
import torch.nn as nn
import torch.nn.functional as F
from collections import OrderedDict


class LitModule(nn.Module):
    """tiny stand in for a LightningModule"""

    def training_step(self, batch):
        raise NotImplementedError

    def configure_optimizers(self):
        raise NotImplementedError

    def fit(self, loader, epochs=1):
        opts = self.configure_optimizers()
        for epoch in range(epochs):
            for batch in loader:
                losses = self.training_step(batch)
                self.optimize(losses, opts)
            print(epoch, {k: round(v.item(), 4) for k, v in losses.items()})

    def optimize(self, losses, opts):
        for name, loss in losses.items():
            opts[name].zero_grad()
            loss.backward(retain_graph=True)
            opts[name].step()  # BUG


class MultiTask(LitModule):
    def __init__(self, heads):
        super().__init__()
        self.encoder = nn.Sequential(OrderedDict(
            fc1=nn.Linear(12, 32), act1=nn.GELU(),
            fc2=nn.Linear(32, 32), act2=nn.GELU(),
        ))
        self.heads = nn.ModuleDict({k: nn.Linear(32, n) for k, n in heads.items()})

    def forward(self, x):
        z = self.encoder(x)
        return {k: head(z) for k, head in self.heads.items()}

    def training_step(self, batch):
        out = self(batch["x"])
        return {
            "cls": F.cross_entropy(out["cls"], batch["cls"]),
            "reg": F.smooth_l1_loss(out["reg"], batch["reg"]),
        }

    def configure_optimizers(self):
        enc = list(self.encoder.parameters())
        return {k: torch.optim.Adam(enc + list(h.parameters()), lr=1e-3)
                for k, h in self.heads.items()}


if __name__ == "__main__":
    torch.manual_seed(0)
    loader = [
        {"x": torch.randn(16, 12), "cls": torch.randint(0, 4, (16,)), "reg": torch.randn(16, 2)}
        for _ in range(6)
    ]
    MultiTask({"cls": 4, "reg": 2}).fit(loader, epochs=2)
