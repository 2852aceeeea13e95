"""What never needs a gradient, whose callers need none, and what is another tensor than it seems (`forms`)."""

PROGRAMS = {
    "weights that are plain tensors while they are filled": """
        class Unit(nn.Module):
            def __init__(self, rows):
                super().__init__()
                self.rows = rows
                self.weight = torch.zeros(4, 4)
                self.begin()

            def begin(self):
                for i, row in enumerate(self.rows):
                    self.weight[i, row] = torch.rand(len(row))  # bad: IPL103
                    self.weight[i, row] = torch.rand(len(row))  # good
                self.weight = nn.Parameter(self.weight)

            def forward(self, x):
                self.begin()  # bad
                return x @ self.weight

        class Net(nn.Module):
            def __init__(self, rows, wide=False):
                super().__init__()
                self.rows = rows
                if wide:
                    self.first = Unit(rows)
                self.weight = torch.zeros(4, 4)
                self.begin()

            def begin(self):
                self.weight = nn.Parameter(self.weight)

        if __name__ == "__main__":
            net = Net([[0, 1], [2]], wide=True)
            (net.first(torch.rand(4)) @ net.weight).sum().backward()
    """,
    "squares of gradients, unless the backward was recorded itself": """
        class Squares:
            def __init__(self, net):
                self.net, self.seen = net, None

            def task(self, batches):
                if self.seen is None:
                    self.seen = self.look(batches)
                else:
                    new = self.look(batches)
                    for name, _ in new.items():
                        new[name][:1] = self.seen[name][:1] + new[name][:1]  # bad: IPL101
                        new[name][:1] = self.seen[name][:1] + new[name][:1]  # good
                    self.seen = new

            def look(self, batches):
                found = {name: torch.zeros(p.shape) for name, p in self.net.named_parameters()}
                for x in batches:
                    self.net(x).pow(2).sum().backward(create_graph=True)  # bad
                    self.net(x).pow(2).sum().backward()  # good
                    for name, p in self.net.named_parameters():
                        if p.grad is not None:
                            found[name] += p.grad.pow(2).clone()
                for name, p in found.items():
                    found[name] = p / len(batches)
                    found[name] = torch.max(found[name], torch.tensor(1e-1)).sqrt()
                return found

        squares = Squares(nn.Linear(4, 1))
        data = [torch.rand(3, 4)]
        squares.task(data)
        squares.task(data)
        total = sum(one.sum() for one in squares.seen.values())
        (total + squares.net(data[0]).sum()).backward()
    """,
    "two entries of one of the dicts that a model returned": """
        def squash(x):
            return x.sigmoid_().clamp(1e-4, 1 - 1e-4)

        def train(model, batches, stages):
            opt = torch.optim.SGD(model.parameters(), lr=0.1)
            for x in batches:
                outputs = model(x)
                loss = 0
                for stage in range(stages):
                    out = outputs[stage]
                    out["first"] = squash(out["first"])
                    out["other"] = squash(out["other"])
                    kept = out["first"].exp()  # bad
                    kept.mul_(2)  # bad: IPL101
                    loss = loss + out["first"].sum() + out["other"].sum()
                    loss = loss + kept.sum()  # bad
                opt.zero_grad()
                loss.backward()
                opt.step()

        if __name__ == "__main__":
            class Heads(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.first, self.other = nn.Linear(4, 2), nn.Linear(4, 2)

                def forward(self, x):
                    return [{"first": self.first(x), "other": self.other(x)}]

            train(Heads(), [torch.rand(3, 4)], 1)
    """,
    "what an earlier layer returned, or the last one's": """
        class Net(nn.Module):
            def __init__(self, depth):
                super().__init__()
                self.depth = depth
                self.layers = nn.ModuleList([nn.Linear(4, 4) for _ in range(depth)])
                self.scales = nn.Parameter(torch.ones(depth + 1))

            def forward(self, x):
                kept = None
                for i in range(self.depth):
                    x = self.layers[i](self.scales[i] * x)
                    if i == 1:  # good
                    if i == self.depth - 1:  # bad
                        kept = x
                x -= self.scales[self.depth] * kept  # bad: IPL102
                x -= self.scales[self.depth] * kept  # good
                return x

        net = Net(4)
        for _ in range(3):
            net(torch.rand(2, 4)).sum().backward()
    """,
    "a method that is only called under no_grad, of something given too": """
        class Flow(nn.Module):
            def __init__(self):
                super().__init__()
                self.net = nn.Linear(3, 3)

            def inverse(self, u):
                x = torch.zeros_like(u)
                for i in range(3):
                    x[:, i] = u[:, i] + self.net(x)[:, i]  # bad: IPL102
                    x[:, i] = u[:, i] + self.net(x)[:, i]  # good
                return x

        class Wrap(nn.Module):
            def __init__(self):
                super().__init__()
                self.flow = Flow()

            def inverse(self, u):
                return self.flow.inverse(u)

        @torch.no_grad()  # good
        def generate(model):
            return model.inverse(torch.randn(4, 3))

        if __name__ == "__main__":
            made = generate(Wrap())
            made.sum().backward()  # bad
    """,
    "chances of which only the largest is looked up, or that are trained": """
        class Decoder(nn.Module):
            def __init__(self):
                super().__init__()
                self.proj = nn.Linear(4, 4)

            def step(self, x, seen):
                logs = self.proj(x).log_softmax(-1)
                p = logs.exp()
                p[seen] = 0  # bad: IPL101
                p[seen] = 0  # good
                return logs, p

            def forward(self, x, seen):
                logs, p = self.step(x, seen)
                best = p.argmax(-1)
                return logs.sum() + p.sum()  # bad
                return logs[:, best]  # good

        if __name__ == "__main__":
            Decoder()(torch.rand(3, 4), torch.rand(3, 4) > 2).sum().backward()
    """,
    "scores that came from elsewhere, where nothing was recorded": """
        class Tracker:
            def __init__(self, net):
                self.net = net

            def score(self, x):
                with torch.no_grad():  # good
                    return self.net.classify(x)  # good
                return self.net.classify(x)  # bad

            def place(self, scores):
                scores = scores.exp()
                scores.mul_(2)  # bad: IPL101
                scores.mul_(2)  # good
                return scores

            def track(self, x):
                return self.place(self.score(x)).sum()

        if __name__ == "__main__":
            class Net(nn.Linear):
                def classify(self, x):
                    return self(x)

            Tracker(Net(4, 2)).track(torch.rand(3, 4)).backward()  # bad
            Tracker(Net(4, 2)).track(torch.rand(3, 4))  # good
    """,
    "a layer that works in place where somebody asks for it, on one of several views": """
        class Gated(nn.Module):
            def __init__(self, inplace=False):  # good
            def __init__(self, inplace=True):  # bad
                super().__init__()
                self.proj = nn.Linear(4, 8)
                self.act = nn.LeakyReLU(0.1, inplace=inplace)
                self.gate = nn.LeakyReLU(0.2, inplace=inplace)

            def forward(self, x):
                x, gate = self.proj(x).chunk(2, 1)
                x = self.act(x)  # bad: IPL104
                return x * self.gate(gate)  # bad: IPL104
                return self.act(x) + self.gate(gate)  # good

        if __name__ == "__main__":
            Gated()(torch.rand(3, 4)).sum().backward()
    """,
    "what a step returns of a graph that its backward has used, or kept": """
        def update(net, opt, x, target):
            off = F.smooth_l1_loss(net(x), target, reduction="none").mean(1)
            priority = (off + 1e-10).sqrt()
            priority /= priority.max()  # bad: IPL101
            priority /= priority.max()  # good
            opt.zero_grad()
            off.sum().backward(retain_graph=True)  # bad
            off.sum().backward()  # good
            return priority

        if __name__ == "__main__":
            net = nn.Linear(4, 2)
            opt = torch.optim.SGD(net.parameters(), lr=0.1)
            priority = update(net, opt, torch.rand(3, 4), torch.rand(3, 2))
            priority.sum().backward()  # bad
    """,
    "a method that a module has for others, or that its forward calls": """
        class Flow(nn.Module):
            def __init__(self):
                super().__init__()
                self.net = nn.Linear(3, 3)

            def forward(self, x):
                return self.inverse(x)  # bad
                return (x - self.net(x)).exp()  # good

            def inverse(self, u):
                x = torch.zeros_like(u)
                for i in range(3):
                    x[:, i] = u[:, i] + self.net(x)[:, i]  # bad: IPL102
                    x[:, i] = u[:, i] + self.net(x)[:, i]  # good
                return x

        if __name__ == "__main__":
            flow = Flow()
            flow(torch.randn(4, 3)).sum().backward()
            with torch.no_grad():
                flow.inverse(torch.randn(4, 3))
    """,
    "a method for others that returns a loss": """
        class Flow(nn.Module):
            def __init__(self):
                super().__init__()
                self.net = nn.Linear(3, 3)

            def forward(self, x):
                return self.net(x)

            def loss(self, x):
                p = self.net(x).exp()
                p += 1  # bad: IPL101
                p = p + 1  # good
                return (p * x).mean()

        if __name__ == "__main__":
            Flow().loss(torch.randn(4, 3)).backward()
    """,
    "a reward that is put into what a simulator keeps": """
        from threading import Thread

        class Task(Thread):
            def __init__(self, state, goal, rewards):
                super().__init__()
                self.state, self.goal, self.rewards = state, goal, rewards

            def run(self):
                self.reward = reward(self.state[..., 0:3], self.goal)  # bad
                self.rewards[:] = reward(self.state[..., 0:3], self.goal)  # good

        def reward(place, goal):
            r = torch.exp(-(place - goal).square().sum(-1))
            r[r < 0.5] = 0.0  # bad: IPL101
            r[r < 0.5] = 0.0  # good
            return 0.5 * r

        if __name__ == "__main__":
            task = Task(torch.rand(4, 13), a[:3], torch.zeros(4))  # bad
            task = Task(torch.rand(4, 13), b[:3], torch.zeros(4))  # good
            task.run()
            task.reward.sum().backward()  # bad
    """,
    "decoding that has to be asked for": """
        class Decoder(nn.Module):
            def __init__(self):
                super().__init__()
                self.table, self.proj = nn.Embedding(4, 4), nn.Linear(4, 4)

            def forward(self, x, decoding=True):  # bad
            def forward(self, x, decoding=False):  # good
                if decoding:
                    return self.greedy(x)
                return self.proj(x)

            def greedy(self, x):
                found = torch.zeros(4, 4, dtype=torch.long)
                states = [x]
                for t in range(3):
                    states.append(self.proj(states[-1] + self.table(found[:, t])))
                    found[:, t + 1] = states[-1].argmax(-1)  # bad: IPL102
                    found[:, t + 1] = states[-1].argmax(-1)  # good
                return states[-1]

        if __name__ == "__main__":
            net = Decoder()
            net(torch.rand(4, 4)).sum().backward()
            net(torch.rand(4, 4), decoding=True).argmax()  # good
    """,
    "an image that is drawn point by point": """
        class Drawing(nn.Module):
            def __init__(self):
                super().__init__()
                self.proj = nn.Linear(4, 4)

            def forward(self, x):
                return torch.sigmoid(self.proj(x))

            def draw(self, z):  # good
                return self.fill(torch.cat([torch.zeros(1, 4), z]))  # good

            def total(self, z):  # bad
                return self.fill(torch.cat([torch.zeros(1, 4), z])).sum()  # bad

            def fill(self, image):
                image = image + 0
                for i in range(4):
                    image[0, i] = self.forward(image)[0, i]  # bad: IPL102
                    image[0, i] = self.forward(image)[0, i]  # good
                return self.forward(image)

        if __name__ == "__main__":
            net = Drawing()
            with torch.no_grad():  # good
                net.draw(torch.rand(1, 4)).max()  # good
            net.total(torch.rand(1, 4)).backward()  # bad
            net(b).sum().backward()  # good
    """,
}
