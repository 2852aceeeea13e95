"""Each batch is masked, or taken as it is: no path reads what was masked under the name of the batch."""

import torch


def masked(tokens: torch.Tensor, share: float) -> tuple[torch.Tensor, torch.Tensor]:
    labels = tokens.clone()
    chosen = torch.rand(tokens.shape) < share
    tokens[chosen] = 0
    return tokens, labels


def train(model, loader, epochs, share):
    for _ in range(epochs):
        for batch in loader:
            inputs, labels = masked(batch, share) if share else (batch, batch)
            model(inputs, labels)
