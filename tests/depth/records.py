"""Hazards that leave in a record, pass through lists of several lengths, or use the layers of an argument (`forms`)."""

PROGRAMS = {
    "a dataclass of results": """
        from dataclasses import dataclass

        @dataclass
        class Output:
            loss: torch.Tensor | None = None
            logits: torch.Tensor | None = None

        class Model(nn.Module):
            def __init__(self):
                super().__init__()
                self.head = nn.Linear(4, 4)

            def forward(self, x):
                h = torch.tanh(self.head(x))
                h *= 0.5  # bad: IPL101
                h = h * 0.5  # good
                return Output(logits=h)

        if __name__ == "__main__":
            Model()(b).logits.sum().backward()
    """,
    "a dataclass whose base has an __init__, from a wrapper that may unpack it": """
        from collections import OrderedDict
        from dataclasses import dataclass
        from functools import wraps

        def can_return_tuple(function):
            @wraps(function)
            def wrapper(self, *args, **kwargs):
                as_record = kwargs.pop("return_dict", True)
                output = function(self, *args, **kwargs)
                if not as_record and not isinstance(output, tuple):
                    output = output.to_tuple()
                return output

            return wrapper

        class Record(OrderedDict):
            def __init__(self, *args, **kwargs):
                super().__init__(*args, **kwargs)

            def to_tuple(self):
                return tuple(self.values())

        @dataclass
        class Output(Record):
            loss: torch.Tensor | None = None
            logits: torch.Tensor | None = None

        class Model(nn.Module):
            def __init__(self):
                super().__init__()
                self.head = nn.Linear(4, 4)

            @can_return_tuple
            def forward(self, x):
                h = torch.tanh(self.head(x))
                h *= 0.5  # bad: IPL101
                h = h * 0.5  # good
                return Output(logits=h)

        if __name__ == "__main__":
            Model()(b).logits.sum().backward()
    """,
    "a plain object of results": """
        class Output:
            def __init__(self, logits, hidden):
                self.logits = logits
                self.hidden = hidden

        class Model(nn.Module):
            def __init__(self):
                super().__init__()
                self.head = nn.Linear(4, 4)

            def forward(self, x):
                h = torch.sigmoid(self.head(x))
                y = h * 2
                h.zero_()  # bad: IPL101
                h = h * 0  # good
                return Output(y, None)

        if __name__ == "__main__":
            Model()(b).logits.sum().backward()
    """,
    "a list that is longer if an option is given": """
        class Project(nn.Module):
            def __init__(self, dim):
                super().__init__()
                self.proj = nn.Linear(dim, dim)

            def forward(self, x):
                return self.proj(x).relu()

        class FeedForward(nn.Module):
            def __init__(self, dim, final_dropout=False):
                super().__init__()
                self.net = nn.ModuleList([])
                self.net.append(Project(dim))
                self.net.append(nn.Dropout(0.0))
                self.net.append(nn.Linear(dim, dim))
                if final_dropout:
                    self.net.append(nn.Dropout(0.0))

            def forward(self, x):
                for module in self.net:
                    x = module(x)
                return x

        class Block(nn.Module):
            def __init__(self, dim=4, final_dropout=False):
                super().__init__()
                self.norm = nn.LayerNorm(dim)
                self.ff = FeedForward(dim, final_dropout=final_dropout)

            def forward(self, x):
                h = self.norm(x)
                y = self.ff(h)
                h.relu_()  # bad: IPL102
                h = h.relu()  # good
                return y + x

        if __name__ == "__main__":
            Block()(b).sum().backward()
    """,
    "a processor that is given the module": """
        class Attention(nn.Module):
            def __init__(self, dim=4):
                super().__init__()
                self.to_q = nn.Linear(dim, dim)
                self.to_out = nn.Linear(dim, dim)
                self.processor = Processor()

            def forward(self, x):
                return self.processor(self, x)

        class Processor:
            def __call__(self, attn: "Attention", x):
                q = attn.to_q(x)
                y = attn.to_out(q)
                q.mul_(2)  # bad: IPL102
                q = q.mul(2)  # good
                return y

        if __name__ == "__main__":
            Attention()(b).sum().backward()
    """,
    "a decorator that changes nothing about gradients": """
        def documented(text=None):
            def decorate(function):
                if text:
                    function.__doc__ = text
                return function

            return decorate

        class Model(nn.Module):
            def __init__(self):
                super().__init__()
                self.head = nn.Linear(4, 4)

            @documented(text="One step.")
            def forward(self, x):
                h = torch.sigmoid(self.head(x))
                h += 1  # bad: IPL101
                h = h + 1  # good
                return h

        if __name__ == "__main__":
            Model()(b).sum().backward()
    """,
}
