import torch


class Force:
    def __call__(self, pos, vel):
        raise NotImplementedError

    def energy(self, pos):
        return pos.new_zeros(())


class Gravity(Force):
    def __init__(self, mass, g=9.81):
        self.mass, self.g = mass, g

    def __call__(self, pos, vel):
        f = torch.zeros_like(pos)
        f[:, 1] -= self.mass * self.g
        return f

    def energy(self, pos):
        return (self.mass * self.g * pos[:, 1].clone()).sum()


class Springs(Force):
    def __init__(self, i, j, rest, stiffness, damping=0.0):
        self.i, self.j = i, j
        self.rest, self.k, self.damping = rest, stiffness, damping

    def _extension(self, pos):
        d = pos[self.j] - pos[self.i]
        length = d.norm(dim=1).clamp(min=1e-6)
        return d / length.unsqueeze(1), length - self.rest

    def __call__(self, pos, vel):
        n, ext = self._extension(pos)
        rel = ((vel[self.j] - vel[self.i]) * n).sum(1)
        f = (self.k * ext + self.damping * rel).unsqueeze(1) * n
        out = torch.zeros_like(pos)
        out.index_add_(0, self.i, f)
        out.index_add_(0, self.j, -f)
        return out

    def energy(self, pos):
        _, ext = self._extension(pos)
        return 0.5 * (self.k * ext ** 2).sum()


class Drag(Force):
    def __init__(self, c):
        self.c = c

    def __call__(self, pos, vel):
        return -self.c * vel
