import torch


class SlotMemory:
    """Keeps a [B, N, D] bank, content addressed reads, round robin writes."""

    def __init__(self, batch_size, n_slots, dim):
        self.cells = torch.zeros(batch_size, n_slots, dim)
        self.n_slots = n_slots
        self.cursor = 0

    def read(self, query):
        score = torch.bmm(self.cells, query.unsqueeze(2)).squeeze(2)
        w = torch.softmax(score, dim=1)
        return torch.bmm(w.unsqueeze(1), self.cells).squeeze(1)

    def write(self, value):
        self.cells[:, self.cursor] = value  # BUG
        self.cursor = (self.cursor + 1) % self.n_slots
