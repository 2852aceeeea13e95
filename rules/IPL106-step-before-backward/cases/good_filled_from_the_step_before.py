"""Missing values are filled with the prediction of the step before, which the first step of a batch has none of."""

import torch
from torch import nn


def train(model, optimizer, batches):
    for batch in batches:
        optimizer.zero_grad()
        loss = 0
        for t in range(batch.size(0)):
            values = batch[t].clone()
            if t > 0:
                values = torch.where(values == 0, mean, values)
            mean = model(values)
            loss = loss + mean.square().sum()
        loss.backward(retain_graph=True)
        optimizer.step()


if __name__ == "__main__":
    model = nn.Sequential(nn.Linear(3, 3), nn.Tanh(), nn.Linear(3, 3))
    train(model, torch.optim.SGD(model.parameters(), 0.1), [torch.ones(4, 3).tril()] * 2)
