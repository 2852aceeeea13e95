import torch


class StepContext:
    """Values shared by the phases of one iteration, evaluated on demand."""

    def __init__(self, nets, real, z):
        self.nets, self.real, self.z = nets, real, z
        self._memo = {}

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        memo = self.__dict__["_memo"]
        if name not in memo:
            memo[name] = getattr(self, "_make_" + name)()
        return memo[name]

    def forget(self, *names):
        for n in names:
            self._memo.pop(n, None)

    def _make_fake(self):
        return self.nets["gen"](self.z)

    def _make_real_score(self):
        return self.nets["critic"](self.real)

    def _make_fake_score(self):
        return self.nets["critic"](self.fake)

    def _make_mixed(self):
        eps = torch.rand(self.real.size(0), 1)
        return torch.lerp(self.fake.detach(), self.real, eps).requires_grad_(True)
