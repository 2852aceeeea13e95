"""A tensor counts the in-place writes to its memory, and backward compares the count with the one at the save."""

import torch

a = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)

b = 2 * a
c = b ** 2
print("b ** 2 saved b at version", b._version)
b += 1
print("b += 1 moved it to version", b._version)
try:
    c.sum().backward()
except RuntimeError as error:
    print("backward raises:", error)

# An addition needs neither of its operands in backward: nothing was saved that the write could spoil.
b = 2 * a
c = b + 2
print("b + 2 left b at version", b._version, "and kept nothing of it")
b += 1
print("b += 1 moved it to version", b._version)
c.sum().backward()
print("gradient:", a.grad.tolist())

# Or the square stays, and b + 1 becomes a tensor of its own: the one that was saved is as it was.
a.grad = None
b = 2 * a
saved = b
c = b ** 2
b = b + 1
print("b = b + 1 left the saved tensor at version", saved._version)
c.sum().backward()
print("gradient:", a.grad.tolist())
