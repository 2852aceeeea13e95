"""Hazards of tensors that go through map, zip, comprehensions and starred tuples, one element apart from the others."""

_HEADS = """
        class Heads(nn.Module):
            def __init__(self):
                super().__init__()
                self.norm = nn.LayerNorm(4)
                self.to_qkv = nn.Linear(4, 12)
                self.to_q, self.to_kv = nn.Linear(4, 4), nn.Linear(4, 8)

            def forward(self, x):
                x = self.norm(x)
"""
_RUN = "Heads()(torch.randn(2, 3, 4)).sum().backward()"

PROGRAMS = {
    "heads split by map": f"""{_HEADS}
                qkv = self.to_qkv(x).chunk(3, -1)
                x.relu_()  # bad: IPL102
                x = x.relu()  # good
                q, k, v = map(lambda t: t.transpose(1, 2), qkv)
                return q + k + v + x.transpose(1, 2)

        {_RUN}
    """,
    "heads split by map, of which it is not known how many there are": f"""{_HEADS}
                q, k, v = map(lambda t: t.sigmoid(), self.to_qkv(x).split(4, -1))
                out = q * v
                q.mul_(2)  # bad: IPL101
                out = q + v  # good
                return out + k

        {_RUN}
    """,
    "one of what a map returned is written, and another saved": f"""{_HEADS}
                q, k, v = map(lambda t: t + 1, self.to_qkv(x).unflatten(-1, (3, 4)).unbind(2))
                out = q @ k.transpose(1, 2)
                v.add_(1)  # both
                q.add_(1)  # bad: IPL102
                return out @ v

        {_RUN}
    """,
    "a starred tuple": f"""{_HEADS}
                q, k, v = (self.to_q(x), *self.to_kv(x).chunk(2, dim=-1))
                q *= 0.5  # both
                k *= 0.5  # bad: IPL104
                return q * k + k.exp() * v

        {_RUN}
    """,
    "a starred tuple, the star in front": f"""{_HEADS}
                k, v, q = [*self.to_kv(x).split(4, dim=-1), self.to_q(x)]
                q *= 0.5  # both
                v *= 0.5  # bad: IPL104
                return q * k + k.exp() * v

        {_RUN}
    """,
    "a starred tuple with a name of its own": f"""{_HEADS}
                parts = (self.to_q(x), *self.to_kv(x).split(4, dim=-1))
                parts[0].add_(1)  # both
                parts[-1].add_(1)  # bad: IPL104
                q, *kv = parts
                q.mul_(2)  # both
                return q * kv[0] * kv[1]

        {_RUN}
    """,
    "a comprehension that is taken apart": f"""{_HEADS}
                q, k, v = [t.tanh() for t in (self.to_q(x), *self.to_kv(x).split(4, dim=-1))]
                out = q * k
                v *= 2  # bad: IPL101
                k += 1  # bad: IPL101
                return out + v

        {_RUN}
    """,
    "a generator whose parts are saved, and one of them written": """
        def apart(x):
            u, v = (t * 1 for t in x.split(2))
            out = u.square()
            v.add_(1)  # good
            u.add_(1)  # bad: IPL102
            return out * v.exp()

        apart(a).sum().backward()
    """,
    "reduce and accumulate": """
        from functools import reduce
        from itertools import accumulate
        import operator

        u, v, w = a * 2, a * 3, a * 4
        out = reduce(lambda p, q: p * q, [u, v])
        out = out + list(accumulate([v, w], operator.mul))[-1]
        out = out + reduce(operator.add, [u, v, w])
        u.add_(1)  # bad: IPL102
        w.add_(1)  # bad: IPL102
        out.add_(1)  # both
        out.sum().backward()
    """,
    "starmap over rows": """
        from itertools import starmap

        class Gates(nn.Module):
            def __init__(self):
                super().__init__()
                self.f, self.g = nn.Linear(4, 4), nn.Linear(4, 4)

            def forward(self, xs):
                pairs = [(self.f(x), self.g(x)) for x in xs]
                outs = list(starmap(lambda u, v: u.sigmoid() * v, pairs))
                for u, v in pairs:
                    u.mul_(0)  # good
                    v.mul_(0)  # bad: IPL102
                return torch.stack(outs)

        Gates()([b, b]).sum().backward()
    """,
    "chained lists": """
        from itertools import chain

        def both_ways(layer, xs):
            there = [layer(x).exp() for x in xs]
            back = [layer(x).add(1) for x in reversed(xs)]
            for h in chain(there, back):  # bad
                h /= 2.0  # bad: IPL101
            for h in chain.from_iterable([back]):  # good
                h /= 2.0  # good
            return sum(there) + sum(back)

        both_ways(nn.Linear(4, 4), [b, b * 2]).sum().backward()
    """,
    "what a filter leaves": """
        class Either(nn.Module):
            def __init__(self):
                super().__init__()
                self.f = nn.Linear(4, 4)

            def forward(self, x, y=None):
                found = [self.f(x).sigmoid(), None if y is None else self.f(y).sigmoid()]
                found = list(filter(lambda t: t is not None, found))
                for i, f in enumerate(found):
                    f.mul_(2.0)  # bad: IPL101
                    found[i] = f * 2.0  # good
                return torch.cat(found)

        Either()(b, b).sum().backward()
    """,
    "modules handed to map": """
        class Shared(nn.Module):
            def __init__(self):
                super().__init__()
                self.f, self.norm = nn.Linear(4, 4), nn.LayerNorm(4)

            def forward(self, x, y):
                x, y = self.norm(x), self.norm(y)
                outs = [*map(self.f, (x, y))]
                y.relu_()  # bad: IPL102
                return torch.stack([*map(torch.tanh, outs)])

        Shared()(b, b).sum().backward()
    """,
    "fields that are called as methods of tensors are": """
        from dataclasses import dataclass

        @dataclass
        class Belief:
            mean: torch.Tensor
            cov: torch.Tensor

        class Filter(nn.Module):
            def __init__(self):
                super().__init__()
                self.move, self.look = nn.Parameter(torch.eye(2)), nn.Parameter(torch.eye(2))

            def predict(self, belief):
                return Belief(belief.mean @ self.move, self.move @ belief.cov @ self.move.T)

            def correct(self, belief, seen):
                gain = belief.cov @ self.look.T
                mean = belief.mean + seen.unsqueeze(-2) @ gain.mT
                belief.cov -= gain @ gain.mT  # bad: IPL102
                return Belief(mean, belief.cov)  # bad
                return Belief(mean, belief.cov - gain @ gain.mT)  # good

            def run(self, belief, every):
                for seen in every:
                    belief = self.correct(self.predict(belief), seen)
                return belief.mean.sum() + belief.cov.sum()

        if __name__ == "__main__":
            Filter().run(Belief(torch.zeros(1, 1, 2), torch.eye(2)[None]), torch.ones(3, 1, 2)).backward()
    """,
    "memory of an object that each call is given anew": """
        class Cache:
            def __init__(self, count):
                self.keys, self.length = torch.zeros(count, 4, 4), 0

            def append(self, k):
                self.keys[:, self.length] = k  # bad
                keys = self.keys.clone()  # good
                keys[:, self.length] = k  # good
                self.keys = keys  # good
                self.length += 1
                return self.keys

        class Attention(nn.Module):
            def __init__(self):
                super().__init__()
                self.key = nn.Linear(4, 4)

            def forward(self, x, cache: Cache):
                k = self.key(x)
                return (k[:, None] * cache.append(k)).sum(1)

        class Block(nn.Module):
            def __init__(self):
                super().__init__()
                self.norm, self.attend = nn.LayerNorm(4), Attention()

            def forward(self, x, cache):
                return x + self.attend(self.norm(x), cache)

        class Model(nn.Module):
            def __init__(self):
                super().__init__()
                self.blocks = nn.ModuleList([Block(), Block()])

            def step(self, x, caches):
                for block, cache in zip(self.blocks, caches):
                    x = block(x, cache)
                return x

            def unroll(self, x):
                caches = [Cache(x.size(0)) for _ in self.blocks]
                return torch.stack([self.step(x[:, t], caches) for t in range(x.size(1))])  # bad: IPL102
                return torch.stack([self.step(x[:, t], caches) for t in range(x.size(1))])  # good

        Model().unroll(torch.rand(2, 3, 4)).sum().backward()
    """,
}
