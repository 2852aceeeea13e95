from . import tree


class Updater:
    def __init__(self, hp):
        self.hp = hp

    def start(self, params):
        pass

    def __call__(self, params, grads):
        raise NotImplementedError


class SGD(Updater):
    def __call__(self, params, grads):
        return tree.sub(params, grads, self.hp.inner_lr)


class Momentum(Updater):
    def start(self, params):
        self.buf = tree.zeros_like(params)

    def __call__(self, params, grads):
        tree.scale_(self.buf, self.hp.momentum)
        tree.axpy_(1.0, grads, self.buf)
        return tree.axpy_(-self.hp.inner_lr, self.buf, params)


def make_updater(hp):
    return {"sgd": SGD, "momentum": Momentum}[hp.updater](hp)
