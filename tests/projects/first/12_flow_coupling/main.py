import torch

from flows import AffineCoupling, FlowSequence
from flows.base import Permute


def make(dim, n):
    layers = []
    for i in range(n):
        layers.append(AffineCoupling(dim, swap=bool(i % 2)))
        if i % 2:
            layers.append(Permute(dim))
    return FlowSequence(layers)


def train(model, data, steps=2):
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    for s in range(steps):
        nll = -model.log_prob(data.clone()).mean()
        opt.zero_grad()
        nll.backward()
        opt.step()
        print(s, nll.item())


if __name__ == "__main__":
    torch.manual_seed(0)
    model = make(4, 4)
    x = torch.randn(16, 4)
    train(model, x)
    print(model.inverse(torch.randn(3, 4)).shape)
