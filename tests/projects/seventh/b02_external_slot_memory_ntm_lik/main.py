import torch
from torch import nn
from memory import SlotMemory


class Controller(nn.Module):
    def __init__(self, in_dim, dim, n_slots):
        super().__init__()
        self.cell = nn.GRUCell(in_dim + dim, dim)
        self.query = nn.Linear(dim, dim)
        self.value = nn.Linear(dim, dim)
        self.head = nn.Linear(2 * dim, in_dim)
        self.dim = dim
        self.n_slots = n_slots

    def forward(self, seq):
        b, t, _ = seq.shape
        mem = SlotMemory(b, self.n_slots, self.dim)
        h = seq.new_zeros(b, self.dim)
        r = seq.new_zeros(b, self.dim)
        outs = []
        for step in range(t):
            h = self.cell(torch.cat([seq[:, step], r], dim=1), h)
            r = mem.read(self.query(h))
            mem.write(self.value(h))
            outs.append(self.head(torch.cat([h, r], dim=1)))
        return torch.stack(outs, dim=1)


def copy_task(batch, length, width):
    bits = torch.randint(0, 2, (batch, length, width)).float()
    blank = torch.zeros(batch, length, width)
    return torch.cat([bits, blank], 1), torch.cat([blank, bits], 1)


if __name__ == "__main__":
    torch.manual_seed(0)
    net = Controller(6, 24, n_slots=4)
    opt = torch.optim.RMSprop(net.parameters(), lr=1e-3)
    bce = nn.BCEWithLogitsLoss()
    for it in range(5):
        x, y = copy_task(8, 5, 6)
        loss = bce(net(x), y)
        opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 10.0)
        opt.step()
        print(it, loss.item())
