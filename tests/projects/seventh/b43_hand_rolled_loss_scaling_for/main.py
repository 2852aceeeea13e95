import torch
import torch.nn as nn
from amp import DynamicLossScaler
from criterion import RMSELoss


class HalfLinear(nn.Linear):
    """computes in bfloat16, keeps float32 weights"""

    def forward(self, x):
        return nn.functional.linear(x.bfloat16(), self.weight.bfloat16(), self.bias.bfloat16())


def main():
    torch.manual_seed(0)
    model = nn.Sequential(HalfLinear(8, 64), nn.ReLU(), HalfLinear(64, 64), nn.ReLU(), HalfLinear(64, 1))
    optim = torch.optim.SGD(model.parameters(), lr=1e-2, momentum=0.9)
    scaler = DynamicLossScaler()
    criterion = RMSELoss()
    w = torch.randn(8, 1)
    for step in range(10):
        x = torch.randn(64, 8)
        y = torch.tanh(x @ w)
        optim.zero_grad()
        loss = criterion(model(x), y)
        shown = loss.item()
        scaler.scale(loss).backward()
        finite = scaler.unscale_(model.parameters())
        if finite:
            optim.step()
        scaler.update(finite)
        print(step, round(shown, 4), "scale", scaler.value)


if __name__ == "__main__":
    main()
