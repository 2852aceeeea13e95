import torch
import torch.nn.functional as F

from lm.model import StatefulLM
from lm.optim import ASGD


def evaluate(model, x, y):
    model.eval()
    with torch.no_grad():
        return F.cross_entropy(model(x).flatten(0, 1), y.flatten()).item()


def main():
    torch.manual_seed(0)
    model = StatefulLM(12, 16, 4)
    opt = ASGD(model.parameters(), 0.5)
    ids = torch.randint(0, 12, (41, 4))
    for i in range(0, 40, 5):
        model.train()
        x, y = ids[i:i + 5], ids[i + 1:i + 6]
        loss = F.cross_entropy(model(x).flatten(0, 1), y.flatten())
        opt.zero_grad()
        loss.backward()
        opt.step()
        model.reset_rows(torch.rand(4) < 0.2)
    opt.swap()
    print(evaluate(model, ids[:5], ids[1:6]))
    opt.swap()


if __name__ == "__main__":
    main()
