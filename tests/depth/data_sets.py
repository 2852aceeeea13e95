"""Items of data sets, in sight or not, are data: changed in place they are no hazard, what a model made of them is."""

_TRAINED = """
            model = nn.Linear(3, 3)
            opt = torch.optim.SGD(model.parameters(), lr=0.1)
            e = model(data.x).exp()
            e.mul_(2)  # bad: IPL101
            e = e.mul(2)  # good
            loss = e.mean()
            opt.zero_grad()
            loss.backward()
            opt.step()
"""

PROGRAMS = {
    "a module that is handed to what calls it, with what was detached": """
        class Clip(nn.Module):
            def forward(self, boxes, top):
                boxes[:, 0] = torch.clamp(boxes[:, 0], min=0)  # bad: IPL102
                boxes[:, 0] = torch.clamp(boxes[:, 0], min=0)  # good
                boxes[:, 1] = torch.clamp(boxes[:, 1], max=top)  # bad: IPL102
                boxes[:, 1] = torch.clamp(boxes[:, 1], max=top)  # good
                return boxes

        def decoded(out, clip):
            return clip(out * 2, 1.0)

        class Loss(nn.Module):
            def forward(self, out, y):
                boxes = decoded(out, Clip())  # bad
                boxes = decoded(out.detach(), Clip())  # good
                return (out - y).square().mean() + boxes.square().mean()

        net = nn.Linear(3, 4)
        Loss()(net(torch.rand(2, 3)), torch.rand(2, 4)).backward()
    """,
    "an item of a data set of the file": f"""
        class Box:
            def __init__(self, x):
                self.x = x

        class Points(torch.utils.data.Dataset):
            def __init__(self):
                self.items = [Box(torch.rand(6, 3))]

            def __len__(self):
                return 1

            def __getitem__(self, i):
                return self.items[i]

        def main():
            data = Points()[0]
            data.x[:, 0] = F.normalize(data.x[:, 0], dim=0)
            {_TRAINED}

        main()
    """,
    "what __getitem__ computes with parameters": """
        class Table(nn.Module):
            def __init__(self):
                super().__init__()
                self.rows = nn.Parameter(torch.rand(6, 3))

            def __getitem__(self, i):
                return self.rows[i].exp()

        def main():
            table = Table()
            row = table[0]
            row.mul_(2)  # bad: IPL101
            row = row.mul(2)  # good
            row.sum().backward()

        main()
    """,
    "what a class that is not in sight made of numbers": """
        def main():
            prior = torch.distributions.Normal(0.5, 1.5)
            model = nn.Linear(3, 3)
            opt = torch.optim.SGD(model.parameters(), lr=0.1)
            prior.scale.copy_(prior.scale.square())
            out = model(torch.rand(2, 3)) * prior.scale
            e = out.exp()
            e.mul_(prior.scale)  # bad: IPL101
            e = e.mul(prior.scale)  # good
            opt.zero_grad()
            e.sum().backward()
            opt.step()

        main()
    """,
}
