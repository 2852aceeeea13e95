import torch
import torch.nn as nn


class Cell(nn.Module):
    def init_state(self, batch):
        raise NotImplementedError

    def step(self, x, state):
        """Returns (output, new state)."""
        raise NotImplementedError


class GRUish(Cell):
    def __init__(self, d_in, d_h):
        super().__init__()
        self.d_h = d_h
        self.gates = nn.Linear(d_in + d_h, 2 * d_h)
        self.cand = nn.Linear(d_in + d_h, d_h)

    def init_state(self, batch):
        return {"h": torch.zeros(batch, self.d_h)}

    def step(self, x, state):
        h = state["h"]
        r, z = self.gates(torch.cat([x, h], 1)).sigmoid().chunk(2, 1)
        n = torch.tanh(self.cand(torch.cat([x, r * h], 1)))
        h = (1 - z) * n + z * h
        return h, {"h": h}


class LSTMish(Cell):
    def __init__(self, d_in, d_h):
        super().__init__()
        self.d_h = d_h
        self.gates = nn.Linear(d_in + d_h, 4 * d_h)
        with torch.no_grad():
            self.gates.bias[d_h:2 * d_h].fill_(1.0)

    def init_state(self, batch):
        return {"hc": (torch.zeros(batch, self.d_h), torch.zeros(batch, self.d_h))}

    def step(self, x, state):
        h, c = state["hc"]
        i, f, g, o = self.gates(torch.cat([x, h], 1)).chunk(4, 1)
        c = f.sigmoid() * c + i.sigmoid() * g.tanh()
        h = o.sigmoid() * c.tanh()
        return h, {"hc": (h, c)}


CELLS = {"gru": GRUish, "lstm": LSTMish}
