import torch


class VisitState:
    """Visited mask and current node of a batch of tours."""

    def __init__(self, batch, n):
        self.visited = torch.zeros(batch, n, dtype=torch.bool)
        self.current = None
        self.first = None
        self.length = torch.zeros(batch)

    def mask(self):
        return self.visited

    def select(self, idx, coords):
        here = coords.gather(1, idx[:, None, None].expand(-1, 1, 2)).squeeze(1)
        if self.current is not None:
            self.length += (here - self.current).norm(dim=-1)
        else:
            self.first = here
        self.current = here
        self.visited.scatter_(1, idx[:, None], True)  # BUG
        return self

    def close(self):
        self.length += (self.current - self.first).norm(dim=-1)
        return self.length
