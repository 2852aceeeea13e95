"""What an object is by default, and what other methods put into it before this one runs (`forms`)."""

PROGRAMS = {
    "a rate that is 0 unless somebody asks for another": """
        class Functional(nn.Module):
            def __init__(self, rate=0.0):
                super().__init__()
                self.proj = nn.Linear(4, 4)
                self.rate = rate

            def forward(self, x):
                y = torch.relu(self.proj(x))
                y = F.dropout(y, p=self.rate, training=self.training)
                y *= 0.5  # bad: IPL101
                y = y * 0.5  # good
                return y

        class Layered(nn.Module):
            def __init__(self, rate=0.0):
                super().__init__()
                self.proj = nn.Linear(4, 4)
                self.drop = nn.Dropout(rate)

            def forward(self, x):
                y = self.drop(torch.sigmoid(self.proj(x)))
                y *= 0.5  # bad: IPL101
                y = y * 0.5  # good
                return y

        if __name__ == "__main__":
            Functional()(b).sum().backward()
            Layered()(b).sum().backward()
    """,
    "containers that other methods fill": """
        class Masked(nn.Module):
            def __init__(self):
                super().__init__()
                self.rows = []
                self.by_layer = {}
                self.proj = nn.Linear(4, 4)

            def hide(self, row, layer=0):
                self.rows.append(row)
                self.by_layer[layer] = [row]

            def forward(self, x):
                y = torch.softmax(self.proj(x), dim=-1)
                for row in self.rows:
                    y[row] = 0.0  # bad: IPL101
                    y = y.index_fill(0, torch.tensor([row]), 0.0)  # good
                return y

            def of_layer(self, x):
                y = torch.softmax(self.proj(x), dim=-1)
                for row in self.by_layer.get(0, ()):
                    y[row] = 0.0  # bad: IPL101
                    y = y.index_fill(0, torch.tensor([row]), 0.0)  # good
                return y

            def if_any(self, x):
                y = torch.softmax(self.proj(x), dim=-1)
                if self.by_layer:
                    y[0] = 0.0  # bad: IPL101
                    y = y * 0.5  # good
                return y

        if __name__ == "__main__":
            model = Masked()
            model.hide(1)
            for method in (model, model.of_layer, model.if_any):
                method(b).square().sum().backward()
    """,
    "an object that is known by the one class that has what is asked of it": """
        class Mask:
            def __init__(self):
                self.rows = {}

            def hide(self, row):
                self.rows[row] = True

            def mute(self, y):
                for row in self.rows:
                    y[row] = 0.0
                return y

        class Masked(nn.Module):
            def __init__(self, mask):
                super().__init__()
                self.mask = mask
                self.proj = nn.Linear(4, 4)

            def forward(self, x):
                y = torch.softmax(self.proj(x), dim=-1)
                y = self.mask.mute(y)  # bad: IPL101
                y = y * 0.5  # good
                return y

        if __name__ == "__main__":
            mask = Mask()
            mask.hide(1)
            Masked(mask)(b).square().sum().backward()
    """,
    "a copy that is made where the axes were swapped": """
        class Encoder(nn.Module):
            def __init__(self):
                super().__init__()
                self.conv = nn.Conv1d(4, 4, 1)
                self.head = nn.Linear(4, 4)

            def forward(self, x, mask):
                h = self.conv(x).transpose(1, 2).contiguous()
                y = self.head(h)
                h.masked_fill_(mask, 0.0)  # bad: IPL102
                h = h.masked_fill(mask, 0.0)  # good
                return y + h

        if __name__ == "__main__":
            Encoder()(torch.ones(2, 4, 3), torch.tensor([[[True]], [[False]]])).square().sum().backward()
    """,
    "options of a convolution that are handed on": """
        class Scaled(nn.Conv2d):
            def __init__(self, *args, **kwargs):
                super().__init__(*args, **kwargs)
                self.gain = nn.Parameter(torch.ones(self.out_channels, 1, 1, 1))

            def forward(self, x):
                weight = (self.weight - self.weight.mean((1, 2, 3), keepdim=True)) * self.gain
                return F.conv2d(x, weight, self.bias, self.stride, self.padding)

        class Block(nn.Module):
            def __init__(self):
                super().__init__()
                self.skip = Scaled(2, 2, 3, padding=1)
                self.conv = Scaled(2, 2, 3, padding=1)
                self.act = nn.ReLU(inplace=True)

            def forward(self, x):
                skip = self.skip(x)
                h = self.act(x)  # bad: IPL102
                h = F.relu(x)  # good
                return self.conv(h) + skip

        if __name__ == "__main__":
            x = torch.ones(1, 2, 4, 4, requires_grad=True) * 1
            Block()(x).sum().backward()
    """,
}
