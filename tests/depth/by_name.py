"""Hazards of tensors whose axes are moved, merged, reduced and repeated by name, with einops."""

PROGRAMS = {
    "heads split by name": """
        from einops import rearrange

        class Attention(nn.Module):
            def __init__(self, heads=2):
                super().__init__()
                self.heads = heads
                self.norm, self.to_qkv = nn.LayerNorm(4), nn.Linear(4, 12)

            def forward(self, x):
                h = self.heads
                x = self.norm(x)
                qkv = self.to_qkv(x).chunk(3, dim=-1)
                x.mul_(0.5)  # bad: IPL102
                q, k, v = map(lambda t: rearrange(t, "b n (h d) -> b h n d", h=h), qkv)
                v += 1  # bad: IPL104
                out = q * k * v.exp()
                out *= 2  # both
                return rearrange(out, "b h n d -> b n (h d)")

        Attention()(torch.randn(2, 3, 4)).sum().backward()
    """,
    "a view by name": """
        from einops import rearrange

        class Pool(nn.Module):
            def __init__(self):
                super().__init__()
                self.score = nn.Linear(4, 1)

            def forward(self, x):
                w = self.score(x).softmax(dim=1)
                flat = rearrange(w, "b n 1 -> b n")
                flat.clamp_(min=0.01)  # bad: IPL101
                flat = flat.clamp(min=0.01)  # good
                return (x * flat[..., None]).sum(1)

        Pool()(torch.randn(2, 3, 4)).sum().backward()
    """,
    "axes that lie side by side are merged in place, others are copied": """
        from einops import rearrange

        class Tokens(nn.Module):
            def __init__(self):
                super().__init__()
                self.fc = nn.Linear(4, 4)

            def forward(self, x):
                h = self.fc(x).sigmoid()
                rows = rearrange(h, "b n d -> (b n) d")  # bad
                rows = rearrange(h, "b n d -> (n b) d")  # good
                rows += 1  # bad: IPL101
                rows += 1  # good
                return rows

        Tokens()(torch.randn(2, 3, 4)).sum().backward()
    """,
    "a pattern that changes nothing hands on what it is given": """
        from einops import rearrange

        y = torch.exp(a[None])
        z = rearrange(y, "b d -> b d")
        z.add_(1)  # bad: IPL101
        z = z.add(1)  # good
        (y.sum() + z.sum()).backward()
    """,
    "reductions by name": """
        from einops import reduce

        class Peak(nn.Module):
            def __init__(self):
                super().__init__()
                self.conv = nn.Conv2d(3, 4, 3)

            def forward(self, x):
                f = self.conv(x)
                top = reduce(f, "b c h w -> b c", "max")  # bad
                top = reduce(f, "b c h w -> b c", "mean")  # good
                f -= 0.5  # bad: IPL102
                f -= reduce(f, "b c h w -> b c 1 1", "sum")  # good
                return top.sum() + f.mean()

        Peak()(torch.randn(2, 3, 6, 6)).backward()
    """,
    "a learned token that is expanded": """
        from einops import repeat

        class Tokens(nn.Module):
            def __init__(self):
                super().__init__()
                self.token, self.place = nn.Parameter(torch.randn(1, 2, 4)), nn.Parameter(torch.randn(1, 1, 4))

            def forward(self, x):
                token = repeat(self.token * 2, "1 n d -> b n d", b=2)  # bad
                token = repeat(self.token, "1 n d -> (n b) 1 d", b=x.shape[0])  # good
                token += self.place  # bad: IPL105
                token += self.place  # good
                return token.sum() + x.sum()

        Tokens()(torch.randn(2, 3, 4)).backward()
    """,
    "a view of a parameter": """
        from einops import rearrange

        weight = nn.Parameter(torch.randn(4, 2))
        rows = rearrange(weight, "(h d) n -> n h d", h=2)  # bad
        rows = rearrange(weight, "h n -> (n h)")  # good
        rows += 1  # bad: IPL103
        rows += 1  # good
        rows.sum().backward()
    """,
    "a product by name": """
        from einops import einsum

        class Scores(nn.Module):
            def __init__(self):
                super().__init__()
                self.q, self.k = nn.Linear(4, 4), nn.Linear(4, 4)

            def forward(self, x):
                q, k = self.q(x), self.k(x)
                s = einsum(q, k, "batch i dim, batch j dim -> batch i j")
                q.mul_(0.1)  # bad: IPL102
                s.mul_(0.1)  # both
                return s

        Scores()(torch.randn(2, 3, 4)).sum().backward()
    """,
    "packed and unpacked": """
        from einops import pack, unpack

        class Packed(nn.Module):
            def __init__(self):
                super().__init__()
                self.token, self.fc = nn.Parameter(torch.randn(2, 4)), nn.Linear(4, 4)

            def forward(self, x):
                h, shapes = pack([self.token, x], "b * d")
                h += 1  # both
                h = self.fc(h).tanh()
                token, rest = unpack(h, shapes, "b * d")
                token.mul_(2)  # bad: IPL101
                token = token * 2  # good
                return token.sum() + rest.sum()

        Packed()(torch.randn(2, 3, 4)).backward()
    """,
    "parts that may be written, as they are slices": """
        from einops import pack, unpack

        both, shapes = pack([a * 2, a * 3], "*")
        one, other = unpack(both, shapes, "*")
        one += 1  # both
        out = other.exp() * one
        other += 1  # bad: IPL102
        out.sum().backward()
    """,
    "layers": """
        from einops.layers.torch import Rearrange, Reduce

        class Patches(nn.Module):
            def __init__(self, p=2):
                super().__init__()
                self.embed = nn.Sequential(
                    Rearrange("b c (h p) (w q) -> b (h w) (p q c)", p=p, q=p),
                    nn.Linear(12, 4),
                    nn.Sigmoid(),
                )
                self.turn = Rearrange("b n d -> b d n")
                self.peak = Reduce("b d n -> b d", "max")

            def forward(self, img):
                x = self.turn(self.embed(img))
                x += 1  # bad: IPL101
                x = x + 1  # good
                y = x * 2
                top = self.peak(y)
                y.zero_()  # bad: IPL102
                return top

        Patches()(torch.randn(2, 3, 4, 4)).sum().backward()
    """,
    "a layer that mixes": """
        from einops.layers.torch import EinMix

        class Mixer(nn.Module):
            def __init__(self):
                super().__init__()
                self.norm = nn.LayerNorm(4)
                self.mix = EinMix("b n (h d) -> b n (h m)", weight_shape="h d m", h=2, d=2, m=2)

            def forward(self, x):
                h = self.norm(x)
                y = self.mix(h)
                h.zero_()  # bad: IPL102
                y.add_(1)  # both
                return x + y

        Mixer()(torch.randn(2, 3, 4)).sum().backward()
    """,
    "a function that a decorator puts into a table of its file": """
        STEPS = {}

        def step(name):
            def put(function):
                STEPS[name] = function
                return function
            return put

        @step("euler")
        def euler(field, y, dt):
            y += dt * field(y)  # bad: IPL102
            return y  # bad
            return y + dt * field(y)  # good

        class Field(nn.Module):
            def __init__(self):
                super().__init__()
                self.proj, self.head = nn.Linear(4, 4), nn.Linear(4, 4)

            def forward(self, y):
                return self.head(torch.tanh(self.proj(y)))

        def solve(field, y, method="euler"):
            y = y.clone()
            for _ in range(3):
                y = STEPS[method](field, y, 0.1)
            return y

        solve(Field(), b).sum().backward()
    """,
}
