import copy

import torch
import torch.nn.functional as F

from quant import BinOp, QNet
from quant.trainer import Trainer


def right_grads(model, x, y):
    op = BinOp(model)
    op.binarize()
    loss = F.cross_entropy(model(x), y)
    return torch.autograd.grad(loss, list(model.parameters()))


def main():
    torch.manual_seed(0)
    model = QNet()
    ref = copy.deepcopy(model)
    x, y = torch.randn(8, 1, 6, 6), torch.randint(0, 4, (8,))
    tr = Trainer(model)
    print(tr.train_step(x, y))
    good = right_grads(ref, x, y)
    same = all(torch.allclose(a, b, atol=1e-7) for a, b in zip(tr.grads, good))
    assert not same, "gradients were expected to be wrong"
    print("gradients differ from the right ones")


if __name__ == "__main__":
    main()
