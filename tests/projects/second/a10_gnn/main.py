import torch
import torch.nn.functional as F

from model import GAT


def fake_graph(n=20, e=60, d=7, k=3):
    return torch.randn(n, d), torch.randint(n, (2, e)), torch.randint(k, (n,))


def run():
    x, edge_index, y = fake_graph()
    model = GAT([7, 8, 3])
    opt = torch.optim.Adam(model.parameters(), lr=5e-3, weight_decay=5e-4)
    for epoch in range(2):
        model.train()
        opt.zero_grad()
        F.cross_entropy(model(x, edge_index), y).backward()
        opt.step()


if __name__ == "__main__":
    run()
