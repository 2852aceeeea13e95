"""What code that was new to the tool showed: findings that torch refutes, and hazards that it confirms."""

from __future__ import annotations

import textwrap

import pytest

from inplace_lint import check

from .in_torch import told

torch = pytest.importorskip("torch")

#: Programs that torch runs, each with a form that once gave a finding.
CLEAN = {
    "a class of Python is no tensor's": """
        def store(out, chunk, i):
            kind = type(chunk)
            if kind is tuple:
                for x1, x2 in zip(out, chunk):
                    x1[i:i + 1] = x2
            else:
                out = torch.cat([out[:i], chunk, out[i + 1:]])
            return out

        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.fc = nn.Linear(4, 4)

            def forward(self, a):
                out = self.fc(a)
                for i in range(a.shape[0]):
                    out = store(out, self.fc(a[i:i + 1]), i)
                return out

        Net()(torch.randn(3, 4)).sum().backward()
    """,
    "the order of layers that a loop chose is not known": """
        def layers(cfg):
            mods = []
            for v in cfg:
                if v == "M":
                    mods += [nn.MaxPool2d(2)]
                else:
                    mods += [nn.Conv2d(8, v, 3, padding=1), nn.ReLU(inplace=True)]
            return nn.Sequential(*mods)

        class Net(nn.Module):
            def __init__(self, cfg):
                super().__init__()
                features = layers(cfg)
                self.first, self.second = nn.Sequential(), nn.Sequential()
                for i in range(2):
                    self.first.add_module(str(i), features[i])
                for i in range(2, 5):
                    self.second.add_module(str(i), features[i])

            def forward(self, x):
                return self.second(self.first(x))

        Net([8, "M", 8, "M"])(torch.randn(1, 8, 4, 4)).sum().backward()
    """,
    "the first round of a range with a step": """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.fc, self.seen = nn.Linear(8, 8), None

            def forward(self, x, step):
                x = F.relu(self.fc(x))
                if not self.training:
                    x.mul_(2)
                out = []
                for t in range(0, x.size(2), step):
                    if t == 0:
                        self.seen = torch.zeros(2)
                    self.seen = F.softmax(x[:, 0, t] + self.seen, 0)
                    out.append(self.seen)
                return torch.cat(out)

        net = Net()
        optimizer = torch.optim.Adam(net.parameters())
        for x in [torch.randn(2, 4, 8)] * 3:
            net.train()
            net(x, 2).sum().backward()
            optimizer.step()
            net.eval()
            net(x, 2)
    """,
    "an abstract method gives what its subclass computes": """
        import abc

        class Group:
            def __init__(self, x):
                self.x = x

            def local(self):
                return self._local()

            @abc.abstractmethod
            def _local(self):
                pass

        class Plane(Group):
            def _local(self):
                return self.x * 2

        class Trainer:
            def __init__(self, group):
                self.model, self.group = nn.Linear(3, 3), group
                self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1)

            def epoch(self, batches):
                kept = []
                for x in batches:
                    out = self.model(self.model(x))
                    loss = self.group(out).local().norm()
                    loss.backward()
                    self.optimizer.step()
                    with torch.no_grad():
                        for p in self.model.parameters():
                            p.data.clamp_(0)
                    kept.extend([p for p in out])
                return kept

        Trainer(Plane).epoch([torch.randn(2, 3)] * 2)
    """,
}
#: Programs that torch refuses, each with a form that once hid it.
HAZARDS = {
    "a method that runs its own object twice": """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.w = nn.Parameter(torch.randn(3))
                self.register_buffer("u", torch.ones(3))

            def forward(self, x):
                self.u.mul_(0.9)
                return x * torch.dot(self.u, self.w)

            def hinge(self, real, fake):
                return self(real).mean() + self(fake).mean()
    """,
    "a function that goes over the parameters itself": """
        def decay(m):
            with torch.no_grad():
                for a in m.parameters():
                    a.mul_(0.9)

        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.student, self.teacher = nn.Linear(3, 3), nn.Linear(3, 3)

            def forward(self, x):
                t = self.teacher(self.student(x))
                decay(self.teacher)
                return (t - x).pow(2).mean()

            def hinge(self, real, fake):
                return self(real) + fake.sum()
    """,
}
TWICE = HAZARDS["a method that runs its own object twice"]
HAZARDS["... by the name of its forward"] = TWICE.replace("self(", "self.forward(")
HEAD = "import torch\nimport torch.nn.functional as F\nfrom torch import nn\n\n\n"
RUN = "\n\nNet().hinge(torch.randn(2, 3), torch.randn(2, 3)).backward()\n"


@pytest.mark.parametrize("what", CLEAN)
def test_what_torch_runs_is_not_told(what: str) -> None:
    source = HEAD + textwrap.dedent(CLEAN[what])
    exec(compile(source, "a.py", "exec"), {})
    assert told(source) == []


@pytest.mark.parametrize("what", HAZARDS)
def test_what_torch_refuses_is_told_without_a_training(what: str) -> None:
    source = HEAD + textwrap.dedent(HAZARDS[what])
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        exec(compile(source + RUN, "a.py", "exec"), {})
    assert told(source) == ["IPL102"]


def test_an_attribute_named_mode_is_none_of_the_module() -> None:
    program = HEAD + textwrap.dedent("""
        class Net(nn.Module):
            def __init__(self, mode="train"):
                super().__init__()
                self.body = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 4))
                self.mode, self.seen = mode, []

            def forward(self, x):
                fake = self.body(x)
                if self.mode == "train":
                    self.seen.append(fake)
                    return self.seen[0]
                return fake


        net = Net()
        net.train()
        optimizer = torch.optim.Adam(net.body.parameters())
        for _ in range(3):
            net(torch.randn(2, 4)).mean().backward(retain_graph=True)
            optimizer.step()
    """)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        exec(compile(program, "a.py", "exec"), {})
    assert "IPL106" in told(program)


@pytest.mark.parametrize(
    ("line", "stale"),
    [("out = torch.log(x.abs_(), out=x)", False), ("out = torch.log(x.abs_()) + x", True)],
    ids=["only written", "read"],
)
def test_an_out_argument_is_not_read(line: str, stale: bool) -> None:
    source = f"import torch\n\n\ndef f(x: torch.Tensor):\n    with torch.no_grad():\n        {line}\n    return out\n"
    codes = [one.code for one in check(source, filename="a.py").diagnostics]
    assert ("IPL204" in codes) == stale


def test_a_name_that_one_branch_binds_anew_is_stale_on_the_other() -> None:
    source = HEAD + textwrap.dedent("""
        class Block(nn.Module):
            def __init__(self, down=None):
                super().__init__()
                self.conv, self.relu, self.down = nn.Conv2d(3, 3, 1), nn.ReLU(inplace=True), down

            def forward(self, x):
                identity = x
                out = self.conv(self.relu(x))
                if self.down is not None:
                    identity = self.down(x)
                out += identity
                return out
    """)
    scope: dict[str, type[torch.nn.Module]] = {}
    exec(compile(source, "a.py", "exec"), scope)
    block, x = scope["Block"](), torch.randn(1, 3, 4, 4)
    assert not torch.allclose(block(x.clone()), x + block.conv(torch.relu(x)))
    assert "IPL204" in [one.code for one in check(source, filename="a.py").diagnostics]
