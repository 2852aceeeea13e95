"""Programs of a few lines whose verdict is known; each stands for one way in which a save and a write can meet.

A line of a program carries at most one mark:

    # save             a tensor that the hazard is about is saved here
    # write: IPL101    it is changed here, and the tracer's finding has this code
    # raises: IPL103   PyTorch raises here, at the write
    # door             something outside of PyTorch gets hold of its memory here

A program with `write` marks of a code below IPL200 must raise in backward without the tracer; one of a code above
must not raise, and its gradients must be wrong. A program without marks must run through with right gradients.
"""

from __future__ import annotations

import re
import textwrap
from dataclasses import dataclass

#: What every program begins with; `a` and `w` need grad, `b` does not.
GIVEN = """\
import copy
import threading
import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.checkpoint import checkpoint
torch.manual_seed(0)
a = torch.rand(4, 4, requires_grad=True)
w = torch.rand(4, 4, requires_grad=True)
b = torch.rand(4, 4)
"""
_MARK = re.compile(r"# (save|write|raises|door)(?:: (\w+))?\s*$")


@dataclass(frozen=True)
class Case:
    """A program with the lines that its marks name."""

    name: str
    source: str
    saves: frozenset[int]
    writes: dict[int, str]
    raises: dict[int, str]

    @property
    def silent(self) -> bool:
        """Whether PyTorch raises nothing though the gradients are wrong."""
        return any(code > "IPL200" for code in self.writes.values())

    @property
    def clean(self) -> bool:
        return not (self.writes or self.raises)


def cases() -> list[Case]:
    """All cases, in the order of the text."""
    found = []
    for block in re.split(r"^## ", _TEXT, flags=re.MULTILINE)[1:]:
        name, _, body = block.partition("\n")
        found.append(marked(name.strip(), GIVEN + textwrap.dedent(body)))
    return found


def marked(name: str, source: str) -> Case:
    saves, writes, raises = set(), {}, {}
    for row, line in enumerate(source.splitlines(), 1):
        mark = _MARK.search(line)
        if mark is None:
            continue
        if mark[1] == "save":
            saves.add(row)
        elif mark[1] == "write":
            writes[row] = mark[2]
        elif mark[1] == "raises":
            raises[row] = mark[2]
    return Case(name, source, frozenset(saves), writes, raises)


_TEXT = """
## a result is overwritten
y = torch.sigmoid(a)  # save
y += 1  # write: IPL101
y.sum().backward()

## a result is written out of place
y = torch.sigmoid(a)
y = y + 1
y.sum().backward()

## a result that nothing saved is overwritten
y = F.gelu(a)
y += 1
y.sum().backward()

## a result is overwritten after its backward
y = torch.sigmoid(a)
y.sum().backward()
with torch.no_grad():
    y += 1

## a write before the save
y = a * 2
y += 1
z = torch.sigmoid(y)
z.sum().backward()

## a save that no backward asks for
y = torch.sigmoid(a)
y.detach().add_(1)
(a * 2).sum().backward()

## a backward towards other inputs passes the save by
y = torch.sigmoid(a)
z = w * 2
y.detach().add_(1)
torch.autograd.grad((y + z).sum(), [w])

## a backward towards the inputs of the save
y = torch.sigmoid(a)  # save
z = w * 2
y.detach().add_(1)  # write: IPL101
torch.autograd.grad((y + z).sum(), [a])

## a view of the result is overwritten
y = torch.softmax(a, dim=-1)  # save
y[0] = 0  # write: IPL101
y.pow(2).sum().backward()

## a disjoint part of the saved base is overwritten
base = torch.zeros(2, 4, 4)
half = base[0]
y = half * a  # save
base[1].fill_(7)  # write: IPL102
y.sum().backward()

## a module's in-place activation after a sigmoid
model = nn.Sequential(nn.Linear(4, 4), nn.Sigmoid(), nn.ReLU(inplace=True))
model(b)  # a first pass whose graph is dropped
out = model(b)  # write: IPL101
out.sum().backward()

## a module's in-place activation after a linear layer
model = nn.Sequential(nn.Linear(4, 4), nn.ReLU(inplace=True), nn.Linear(4, 2))
model(b).sum().backward()

## a helper overwrites what its caller saved
def bump(t):
    t.add_(1)  # write: IPL101
y = torch.exp(a)  # save
bump(y)
y.sum().backward()

## a norm is clamped in place
length = a.norm(dim=-1, keepdim=True)  # save
length.clamp_(min=1e-6)  # write: IPL101
(a / length).sum().backward()

## in-place dropout after softmax
y = F.dropout(torch.softmax(a, -1), 0.5, training=True, inplace=True)  # write: IPL101
y.sum().backward()

## an input is overwritten
y = b.clone()
z = a * y  # save
y.zero_()  # write: IPL102
z.sum().backward()

## an input is overwritten under no_grad
y = b.clone()
z = a * y  # save
with torch.no_grad():
    y.zero_()  # write: IPL102
z.sum().backward()

## the power and its base
c = a + 1
d = c**2  # save
c += 1  # write: IPL102
d.sum().backward()

## a key value cache is read and written again
cache = torch.zeros(3, 4)
total = 0
for step in range(3):
    cache[step] = b[step]  # write: IPL102
    total = total + (cache * a[:3]).sum()  # save
total.backward()

## the targets of a loss are overwritten
target = torch.tensor([0, 1, 2, 3])
loss = F.cross_entropy(a, target)  # save
target.zero_()  # write: IPL102
loss.backward()

## the logits of a loss are overwritten
logits = a * 1.0
loss = F.cross_entropy(logits, torch.tensor([0, 1, 2, 3]))
with torch.no_grad():
    logits.zero_()
loss.backward()

## a mask is overwritten
mask = b > 0.5
y = a.masked_fill(mask, 0.0) * torch.where(mask, a, w)  # save
mask.fill_(False)  # write: IPL102
y.sum().backward()

## the hidden state of a loop
h = torch.zeros(4, 4)
for step in range(2):
    h = torch.tanh(a @ h + b)  # save
    h *= 0.5  # write: IPL101
h.sum().backward()

## rows of an output that later steps read
out = torch.zeros(3, 4)
rows = [b[0]]
for step in range(2):
    rows.append(rows[-1] * a[0])
torch.stack(rows).sum().backward()

## rows of an output that later steps read from the output
out = torch.zeros(3, 4)
out[0] = 1.0
for step in range(2):
    out[step + 1] = out[step].clone() * a[0]
out.sum().backward()

## rows of an output that later steps multiply
out = torch.zeros(3, 4)
out[0] = 1.0
for step in range(2):
    out[step + 1] = out[step] * a[0]  # write: IPL102
out.sum().backward()

## normalised exponentials
e = torch.exp(a - a.amax(dim=-1, keepdim=True))  # save
e /= e.sum(dim=-1, keepdim=True)  # write: IPL101
e.square().sum().backward()

## a leaf is overwritten
a.add_(1)  # raises: IPL103
a.sum().backward()

## a leaf is overwritten under no_grad
with torch.no_grad():
    a.add_(1)
(a * b).sum().backward()

## a view of a leaf is overwritten
a[0] = 0.0  # raises: IPL103

## a chunk is overwritten
first, second = (a * 1.0).chunk(2)
first.add_(1)  # raises: IPL104

## a row of an iteration is overwritten
for row in a * 1.0:
    row.mul_(2)  # raises: IPL104

## a narrow part is overwritten
(a * 1.0).narrow(0, 0, 2).add_(1).sum().backward()

## an expanded tensor is overwritten
row = (a * 1.0)[0].expand(3, 4)
row.add_(1)  # raises: IPL105

## an expanded tensor is cloned first
row = (a * 1.0)[0].expand(3, 4).clone()
row.add_(1).sum().backward()

## an out argument where an input requires grad
torch.exp(a, out=torch.zeros(4, 4))  # raises: IPL107

## an out argument under no_grad
with torch.no_grad():
    torch.exp(a, out=torch.zeros(4, 4))
a.sum().backward()

## a view made under no_grad
base = a * 1.0
with torch.no_grad():
    view = base[0]
view.add_(1)  # raises: IPL108

## a step between a forward and its backward
layer = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 1))
sgd = torch.optim.SGD(layer.parameters(), lr=0.1, foreach=False)
first = layer(b).sum()
second = layer(b).square().sum()  # save
first.backward()
sgd.step()  # write: IPL106
second.backward()

## a step after both backwards
layer = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 1))
sgd = torch.optim.SGD(layer.parameters(), lr=0.1)
first, second = layer(b).sum(), layer(b).square().sum()
first.backward()
second.backward()
sgd.step()
layer(b).sum().backward()

## a foreach step between a forward and its backward
layer = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 1))
adam = torch.optim.Adam(layer.parameters(), lr=0.1, foreach=True)
first = layer(b).sum()
second = layer(b).square().sum()  # save
first.backward()
adam.step()  # write: IPL106
second.backward()

## a foreach op of one's own
y = b.clone()
z = a * y  # save
torch._foreach_add_([y], 1)  # write: IPL102
z.sum().backward()

## a fused step between a forward and its backward
layer = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 1))
adam = torch.optim.Adam(layer.parameters(), lr=0.1, fused=True)
first = layer(b).sum()
second = layer(b).square().sum()  # save
first.backward()
adam.step()  # write: IPL203
second.backward()

## a fused step after both backwards
layer = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 1))
adam = torch.optim.AdamW(layer.parameters(), lr=0.1, fused=True)
for step in range(3):
    adam.zero_grad()
    layer(b).square().sum().backward()
    adam.step()

## a generator's step before the discriminator's backward
gen, dis = nn.Linear(4, 4), nn.Sequential(nn.Linear(4, 4), nn.Sigmoid(), nn.Linear(4, 1))
opt_d = torch.optim.SGD(dis.parameters(), lr=0.1)
opt_g = torch.optim.SGD(gen.parameters(), lr=0.1)
fake = gen(b)
loss_g = -dis(fake).sum()  # save
loss_d = dis(fake.detach()).sum()
loss_d.backward()
opt_d.step()  # write: IPL106
loss_g.backward()
opt_g.step()

## a GAN step in the right order
gen, dis = nn.Linear(4, 4), nn.Sequential(nn.Linear(4, 4), nn.Sigmoid(), nn.Linear(4, 1))
opt_d = torch.optim.SGD(dis.parameters(), lr=0.1)
opt_g = torch.optim.SGD(gen.parameters(), lr=0.1)
fake = gen(b)
dis(fake.detach()).sum().backward()
opt_d.step()
opt_d.zero_grad()
(-dis(fake).sum()).backward()
opt_g.step()

## a custom function's saved result
class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        y = x * x
        ctx.save_for_backward(x, y)
        return y
    @staticmethod
    def backward(ctx, grad):
        x, y = ctx.saved_tensors
        return grad * 2 * x
y = Double.apply(a * 1.0)  # save
y += 1  # write: IPL102
y.sum().backward()

## a custom function that never reads what it saved
class Lazy(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        y = x * 2
        ctx.save_for_backward(y)
        return y
    @staticmethod
    def backward(ctx, grad):
        return grad * 2
y = Lazy.apply(a * 1.0)
y += 1
y.sum().backward()

## a custom function's saved input
class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x
    @staticmethod
    def backward(ctx, grad):
        return grad * 2 * ctx.saved_tensors[0]
x = a * 1.0
y = Square.apply(x)  # save
x.mul_(3)  # write: IPL102
y.sum().backward()

## a double backward reads what the first one made
y = torch.exp(a).pow(3)
g = torch.autograd.grad(y.sum(), a, create_graph=True)[0]
g.square().sum().backward()

## a gradient is overwritten before the double backward
x = a * 1.0
y = torch.tanh(x)
g, = torch.autograd.grad(y.sum(), x, create_graph=True)
z = g.exp()  # save
z += 1  # write: IPL101
z.sum().backward()

## a result is overwritten between two backwards
y = torch.exp(a)  # save
y.sum().backward(retain_graph=True)
with torch.no_grad():
    y.add_(1)  # write: IPL101
y.sum().backward()

## a gradient penalty
net = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1))
x = b.clone().requires_grad_()
g, = torch.autograd.grad(net(x).sum(), x, create_graph=True)
(g.norm(dim=1) - 1).square().mean().backward()

## a reentrant checkpoint with a bug inside
def region(x):
    y = torch.sigmoid(x)  # save
    y += 1  # write: IPL101
    return y**2
checkpoint(region, a * 1.0, use_reentrant=True).sum().backward()

## a reentrant checkpoint that is right
def region(x):
    return torch.sigmoid(x) ** 2
checkpoint(region, a * 1.0, use_reentrant=True).sum().backward()

## a checkpoint with a bug inside that a later save turns into a wrong gradient
def region(x):
    y = torch.sigmoid(x)  # save
    y += 1  # write: IPL203
    return y**2
checkpoint(region, a * 1.0, use_reentrant=False).sum().backward()

## a checkpoint with a write behind its last save
def region(x):
    y = torch.sigmoid(x)
    y += 1
    return y
checkpoint(region, a * 1.0, use_reentrant=False).sum().backward()

## a checkpoint that is right
def region(x):
    return torch.sigmoid(x) ** 2
checkpoint(region, a * 1.0, use_reentrant=False).sum().backward()

## a checkpoint with dropout
drop = nn.Dropout(0.5)
def region(x):
    return drop(torch.sigmoid(x)) ** 2
checkpoint(region, a * 1.0, use_reentrant=False).sum().backward()

## a checkpoint's argument is overwritten
x = a * 1.0
y = checkpoint(lambda t: torch.sin(t) * t, x, use_reentrant=False)  # save
x.mul_(2)  # write: IPL102
y.sum().backward()

## a tensor that a checkpoint reads from around it is overwritten
scale = b.clone()
y = checkpoint(lambda t: torch.sin(t) * scale, a * 1.0, use_reentrant=False)  # save
scale.add_(1)  # write: IPL203
y.sum().backward()

## data is written
y = b.clone()
z = a * y  # save
y.data.mul_(3)  # write: IPL201
z.sum().backward()

## data is written in a part that was not saved
base = torch.rand(2, 4, 4)
z = a * base[0]
base.data[1].mul_(3)
z.sum().backward()

## data is written after the backward
y = b.clone()
(a * y).sum().backward()
y.data.mul_(3)

## data is written with what it held before
y = b.clone()
z = a * y
y.data.copy_(y.data.clone())
z.sum().backward()

## data is replaced
y = b.clone()
z = a * y  # write: IPL201
y.data = torch.rand(4, 4)
z.sum().backward()

## parameters are replaced by a vector
scale = nn.Parameter(torch.rand(4, 4))
z = a * scale  # write: IPL201
nn.utils.vector_to_parameters(torch.rand(16), [scale])
z.sum().backward()

## parameters of which views were saved are replaced by a vector
layer = nn.Linear(4, 4)
z = layer(a * 1.0)
nn.utils.vector_to_parameters(torch.rand(20), layer.parameters())
z.sum().backward()

## a numpy array shares the memory
y = b.clone()
array = y.numpy()  # door
z = a * y  # write: IPL202
array *= 3
z.sum().backward()

## a tensor is made from a numpy array
array = np.ones((4, 4), dtype=np.float32)
y = torch.from_numpy(array)  # door
z = a * y  # write: IPL202
array *= 3
z.sum().backward()

## a numpy array is copied
array = np.ones((4, 4), dtype=np.float32)
y = torch.tensor(array)
z = a * y
array *= 3
z.sum().backward()

## apply_ writes
y = b.clone()
z = a * y  # save
y.apply_(lambda value: value * 2)  # write: IPL201
z.sum().backward()

## a storage is filled
y = b.clone()
z = a * y  # save
y.untyped_storage().fill_(0)  # write: IPL201
z.sum().backward()

## hooks of the program's own that keep the tensor
y = b.clone()
with torch.autograd.graph.saved_tensors_hooks(lambda t: t.detach(), lambda t: t):
    z = a * y  # save
y.mul_(3)  # write: IPL203
z.sum().backward()

## hooks of the program's own that copy
y = b.clone()
with torch.autograd.graph.saved_tensors_hooks(lambda t: t.detach().clone(), lambda t: t):
    z = a * y
y.mul_(3)
z.sum().backward()

## saving on the CPU what is there already
y = b.clone()
with torch.autograd.graph.save_on_cpu():
    z = a * y  # save
y.mul_(3)  # write: IPL203
z.sum().backward()

## running statistics move between an evaluation and its backward
norm = nn.BatchNorm1d(4).eval()
x = a * 1.0
z = norm(x).square().sum()  # save
norm.train()
norm(b * 100)  # write: IPL203
z.backward()

## running statistics move in ordinary training
norm = nn.BatchNorm1d(4)
for step in range(2):
    norm(a * b).square().sum().backward()

## an LSTM
lstm = nn.LSTM(4, 4, batch_first=True)
out, _ = lstm(a[None] * 1.0)
out.square().sum().backward()

## an LSTM cell whose state is zeroed
cell = nn.LSTMCell(4, 4)
h, c = torch.zeros(4, 4), torch.zeros(4, 4)
for step in range(2):
    before = h
    h, c = cell(a * 1.0, (before, c))  # save
    before[0] = 7.0  # write: IPL102
h.sum().backward()

## a thread's forward pass, this thread's backward
results = []
def work():
    y = torch.sigmoid(a)  # save
    y += 1  # write: IPL101
    results.append(y)
thread = threading.Thread(target=work)
thread.start()
thread.join()
results[0].sum().backward()

## threads that are right
results = []
def work():
    results.append(torch.sigmoid(a) + 1)
threads = [threading.Thread(target=work) for _ in range(3)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
sum(results).sum().backward()

## a compiled function whose result is overwritten
def f(x):
    return torch.sigmoid(x) * 2
compiled = torch.compile(f, backend="aot_eager")
y = torch.exp(compiled(a))  # save
y += 1  # write: IPL101
y.sum().backward()

## a compiled function whose input is overwritten
compiled = torch.compile(lambda x, s: torch.sigmoid(x) * s, backend="aot_eager")  # save
s = b.clone()
y = compiled(a, s)
s.mul_(2)  # write: IPL102
y.sum().backward()

## a compiled function that is right
compiled = torch.compile(lambda x: torch.sigmoid(x) * 2, backend="aot_eager")
compiled(a).sum().backward()

## functions of torch.func
def loss(x):
    y = torch.sin(x)
    y = y * 2
    return (y * x).sum()
g = torch.func.grad(loss)(a.detach())
h = torch.func.vmap(torch.func.grad(loss))(a.detach())
(a * g * h).sum().backward()

## jacobians and hessians of torch.func
torch.func.jacrev(lambda x: (x**2).sum())(torch.rand(3))
h = torch.func.hessian(lambda x: (x**3).sum())(torch.rand(3))
(a.sum() * h.sum()).backward()

## nested tensors
n = torch.nested.nested_tensor([torch.rand(2, 3), torch.rand(4, 3)], requires_grad=True)
torch.nested.to_padded_tensor(n * n, 0.0).sum().backward()

## a parametrised layer under anomaly mode
layer = nn.utils.parametrizations.weight_norm(nn.Linear(4, 4))
with torch.autograd.detect_anomaly():
    layer(a * 1.0).sum().backward()

## a closure that an optimizer calls
layer = nn.Linear(4, 4)
lbfgs = torch.optim.LBFGS(layer.parameters())
def closure():
    lbfgs.zero_grad()
    loss = layer(b).square().sum()
    loss.backward()
    return loss
lbfgs.step(closure)

## a hazard behind functions of torch.func
g = torch.func.grad(lambda x: x.sin().sum())(a.detach())
y = torch.sigmoid(a * g)  # save
y += 1  # write: IPL101
y.sum().backward()

## autocast keeps a copy
with torch.autocast("cpu", dtype=torch.bfloat16):
    x = a * 1.0
    y = F.linear(x, w)
x.add_(1)
y.float().sum().backward()

## an embedding's weight is renormalised while it is used
table = nn.Embedding(4, 4)
index = torch.tensor([0, 1])
y = table(index)
index.fill_(0)
a.sum().backward()

## complex tensors
c = torch.complex(a, w)
y = c * c.conj()  # save
c.mul_(2)  # write: IPL102
y.real.sum().backward()

## a double backward in a thread of autograd's own, as each of CUDA is: the sixty-first backward inside of another
class Deep(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, depth):
        ctx.depth = depth
        return x * 2
    @staticmethod
    @torch.enable_grad()
    def backward(ctx, g):
        if ctx.depth:
            x = torch.ones(4, 4, requires_grad=True)
            torch.autograd.grad(Deep.apply(x, ctx.depth - 1).sum(), x)
        else:
            x = torch.ones(4, 4, requires_grad=True)
            d, = torch.autograd.grad(x.exp().sin().sum(), x, create_graph=True)
            d.sum().backward()
        return g * 2, None
for depth in range(57, 64):
    Deep.apply(a * 1.0, depth).sum().backward()

## sparse matrices
m = b.to_sparse()
torch.sparse.mm(m, a).sum().backward()
"""
