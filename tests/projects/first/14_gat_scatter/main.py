import torch
import torch.nn.functional as F

from graph.model import GAT


def random_graph(n, e):
    ei = torch.randint(0, n, (2, e))
    loops = torch.arange(n).repeat(2, 1)
    return torch.cat([ei, loops], 1)


def run():
    torch.manual_seed(0)
    x, y = torch.randn(20, 8), torch.randint(0, 3, (20,))
    ei = random_graph(20, 60)
    model = GAT(8, 8, 3)
    opt = torch.optim.Adam(model.parameters(), lr=5e-3, weight_decay=5e-4)
    for ep in range(3):
        model.train()
        opt.zero_grad()
        F.cross_entropy(model(x, ei), y).backward()
        opt.step()
    model.eval()
    with torch.no_grad():
        print((model(x, ei).argmax(1) == y).float().mean())


if __name__ == "__main__":
    run()
