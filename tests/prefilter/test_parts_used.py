"""Which parts of its object a method uses: those that it names, itself or in methods that it calls."""

from __future__ import annotations

import pytest

from inplace_lint.prefilter.parts_used import parts_used
from inplace_lint.syntax.module import Module

SOURCE = """\
class Model(Base):
    def forward(self, x):
        {body}

    def decode(self, x):
        return self.again(self.dec(x))

    def again(self, x):
        return self.decode(x) if self.more else self.out(x)

    @property
    def head(self):
        return self.kept

    def discriminate(self, x):
        return self.disc(x)
"""
USED = {
    "return self.gen(x)": {"gen"},
    "return self.gen.layers[0](x) + self.w": {"gen", "w"},
    "return self.decode(x)": {"decode", "dec", "again", "more", "out"},
    "return self(x)": {"forward"},
    "return self.head(x)": {"head", "kept"},
    "return [self.gen(y) for y in x]": {"gen"},
    "return map(lambda y: self.gen(y), x)": {"gen"},
    "return x": set(),
    "return run(self, x)": None,
    "return super().forward(x)": None,
    "return getattr(self, 'gen')(x)": None,
    "return sum(p.sum() for p in self.parameters())": None,
    "for m in self.children(): x = m(x)": None,
    "me = self; return me.gen(x)": None,
}


@pytest.mark.parametrize("body", USED)
def test_the_parts_of_a_method(body: str) -> None:
    """None where the object itself is used: then it may be any part."""
    (cls,) = Module("program.py", SOURCE.format(body=body).encode()).classes.values()
    assert parts_used(cls.methods["forward"], cls.methods) == USED[body]
