"""monai 1.6.1, losses/dice.py:462, 465 and metrics/generalized_dice.py:215, 217: the weights 1 / sum(target).

`reciprocal` saves its result, then its infinite elements are assigned. Raises only where the target requires
grad (`soft_label=True` takes such a target: the output of another network that is trained too).
"""

import torch

logits = torch.randn(2, 3, 8, 8, requires_grad=True)
target = torch.softmax(logits, dim=1)

ground_o = torch.sum(target, [2, 3])

w = torch.reciprocal(ground_o.float())
w[torch.isinf(w)] = 0.0
try:
    w.sum().backward(retain_graph=True)
except RuntimeError as error:
    print("loss:", error)
else:
    raise SystemExit("no error from the loss")

# The metric assigns only where an element is infinite: one class is absent from the first sample.
present = torch.tensor([[1.0, 1.0, 0.0], [1.0, 1.0, 1.0]])
for second_write in (False, True):
    w = torch.reciprocal(torch.sum(target * present[..., None, None], [2, 3]))
    for index in range(w.shape[0]):
        batch_w = w[index]
        infs = torch.isinf(batch_w)
        if infs.any():
            if second_write:
                batch_w[infs] = 1.0
            else:
                batch_w[infs] = 0
    try:
        w.sum().backward(retain_graph=True)
    except RuntimeError as error:
        print("metric:", error)
    else:
        raise SystemExit("no error from the metric")
