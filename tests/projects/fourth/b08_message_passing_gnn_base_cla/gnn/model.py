import torch.nn as nn


class JumpingReadout(nn.Module):
    """Mix all layer outputs with learned, bounded coefficients."""

    def __init__(self, dim, n_layers):
        super().__init__()
        self.score = nn.ModuleList(nn.Linear(dim, 1) for _ in range(n_layers))

    def forward(self, states):
        out = 0
        for h, s in zip(states, self.score):
            out = out + s(h).sigmoid() * h
        return out


class GraphNet(nn.Module):
    def __init__(self, in_dim, out_dim, hidden, layers):
        super().__init__()
        self.embed = nn.Linear(in_dim, hidden)
        self.layers = nn.ModuleList(layers)
        self.readout = JumpingReadout(hidden, len(layers))
        self.head = nn.Linear(hidden, out_dim)

    def forward(self, graph):
        h = self.embed(graph.x)
        states = []
        for layer in self.layers:
            h = layer(h, graph.edge_index)
            states.append(h)
        return self.head(self.readout(states))
