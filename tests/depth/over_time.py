"""Hazards over time: state that a loop carries, and the order of forwards, steps and backwards (see `forms`)."""

PROGRAMS = {
    "a hidden state in a buffer": """
        w = torch.randn(4, 4, requires_grad=True)
        h = torch.zeros(4)
        for x in torch.randn(3, 4):
            h += torch.tanh(h @ w + x)  # bad: IPL102
            h = h + torch.tanh(h @ w + x)  # good
        h.sum().backward()
    """,
    "states in one buffer": """
        w = torch.randn(4, 4, requires_grad=True)
        out = torch.zeros(4, 4)
        states = [torch.zeros(4)]
        for t in range(3):
            out[t + 1] = torch.tanh(out[t] @ w)  # bad: IPL102
            states.append(torch.tanh(states[t] @ w))  # good
        out.sum().backward()  # bad
        torch.stack(states).sum().backward()  # good
    """,
    "a cache of keys": """
        class Attention(nn.Module):
            def __init__(self):
                super().__init__()
                self.proj = nn.Linear(4, 4)
                self.register_buffer("keys", torch.zeros(3, 4))

            def forward(self, x, t):
                self.keys[t] = x  # bad
                keys = x  # good
                keys = self.keys  # bad
                return (self.proj(x) * keys).sum()

        attention = Attention()
        loss = 0
        for t in range(3):
            loss = loss + attention(torch.randn(4), t)  # bad: IPL102
            loss = loss + attention(torch.randn(4), t)  # good
        loss.backward()
    """,
    "power iteration": """
        w = torch.randn(4, 4, requires_grad=True)
        u = torch.randn(4)
        for _ in range(2):
            with torch.no_grad():  # good
                v = F.normalize(w @ u, dim=0)  # good
            v = F.normalize(w @ u, dim=0)  # bad
            with torch.no_grad():  # bad
                u.copy_(v)  # bad: IPL102
            u = v  # good
        (u @ (w @ v)).backward()
    """,
    "power iteration in a module, two forwards": """
        class Spectral(nn.Module):
            def __init__(self):
                super().__init__()
                self.weight = nn.Parameter(torch.randn(4, 4))
                self.register_buffer("u", torch.randn(4))

            def forward(self, x):
                with torch.no_grad():
                    self.u.copy_(F.normalize(self.weight @ self.u, dim=0))  # bad
                    self.u = F.normalize(self.weight @ self.u, dim=0)  # good
                sigma = self.u @ self.weight @ self.u
                return x @ self.weight / sigma

        def train():
            net = Spectral()
            loss = net(torch.randn(2, 4)).sum()
            loss = loss + net(torch.randn(2, 4)).sum()  # bad: IPL102
            loss = loss + net(torch.randn(2, 4)).sum()  # good
            loss.backward()

        train()
    """,
    "a queue of negatives": """
        class MoCo(nn.Module):
            def __init__(self):
                super().__init__()
                self.encoder = nn.Linear(4, 4)
                self.register_buffer("queue", torch.randn(4, 8))

            @torch.no_grad()
            def enqueue(self, keys):
                self.queue[:, :2] = keys.T

            def forward(self, x):
                q = self.encoder(x)
                k = self.encoder(x).detach()
                logits = q @ self.queue  # bad
                logits = q @ self.queue.clone()  # good
                self.enqueue(k)  # bad: IPL102
                self.enqueue(k)  # good
                return logits

        MoCo()(torch.randn(2, 4)).sum().backward()
    """,
    "a step between two backwards": """
        net = nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 1))
        opt = torch.optim.SGD(net.parameters(), lr=0.1)
        one = net(b).sum()
        two = net(b * 2).sum()
        one.backward()
        two.backward()  # good
        opt.step()  # bad: IPL106
        opt.step()  # good
        two.backward()  # bad
    """,
    "a state loaded between forward and backward": """
        net = nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 1))
        saved = {k: v.clone() for k, v in net.state_dict().items()}
        loss = net(b).sum()
        loss.backward()  # good
        net.load_state_dict(saved)  # bad: IPL106
        net.load_state_dict(saved)  # good
        loss.backward()  # bad
    """,
    "GAN: the generator's loss from before the discriminator's step": """
        G, D = nn.Linear(4, 4), nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 1))
        opt_d = torch.optim.SGD(D.parameters(), lr=0.1)
        opt_g = torch.optim.SGD(G.parameters(), lr=0.1)
        fake = G(b)
        loss_g = -D(fake).mean()  # bad
        loss_d = D(fake.detach()).mean() - D(b).mean()
        opt_d.zero_grad()
        loss_d.backward()
        opt_d.step()  # bad: IPL106
        opt_d.step()  # good
        loss_g = -D(fake).mean()  # good
        opt_g.zero_grad()
        loss_g.backward()
        opt_g.step()
    """,
    "GAN: the discriminator's loss from before the generator's step": """
        G, D = nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 4)), nn.Linear(4, 1)
        opt_d = torch.optim.SGD(D.parameters(), lr=0.1)
        opt_g = torch.optim.SGD(G.parameters(), lr=0.1)
        fake = G(b)
        (-D(fake).mean()).backward(retain_graph=True)
        opt_g.step()  # bad: IPL106
        opt_g.step()  # good
        loss_d = D(fake).mean()  # bad
        loss_d = D(fake.detach()).mean()  # good
        loss_d.backward()
        opt_d.step()
    """,
    "gradient accumulation": """
        net = nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 1))
        opt = torch.optim.SGD(net.parameters(), lr=0.1)
        total = 0
        for i in range(4):
            loss = net(torch.randn(2, 4)).sum()
            total = total + loss  # bad
            loss.backward()  # good
            if i % 2 == 1:
                total.backward(retain_graph=True)  # bad
                opt.step()  # bad: IPL106
                opt.step()  # good
                opt.zero_grad()
    """,
    "a retained graph": """
        h = torch.sigmoid(a)
        loss = h.sum()
        loss.backward(retain_graph=True)  # bad
        loss.backward()  # good
        with torch.no_grad():
            h.zero_()  # bad: IPL101
            h.zero_()  # good
        loss.backward()  # bad
    """,
    "a loop that keeps its graph": """
        w = torch.randn(4, 4, requires_grad=True)
        opt = torch.optim.SGD([w], lr=0.1)
        h = torch.zeros(4)
        for x in torch.randn(3, 4):
            h = h.detach()  # good
            h = torch.tanh(h @ w + x)
            loss = h.sum()
            opt.zero_grad()
            loss.backward(retain_graph=True)  # bad
            loss.backward()  # good
            opt.step()  # bad: IPL106
            opt.step()  # good
    """,
    "running statistics": """
        net = nn.BatchNorm1d(4)
        x = torch.randn(8, 4, requires_grad=True)
        net.eval()  # bad
        y = net(x).square().sum()
        net.train()
        z = net(x * 5).sum()  # bad: IPL203
        z = net(x * 5).sum()  # good
        (y + z).backward()
    """,
    "an optimizer's closure": """
        net = nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 1))
        opt = torch.optim.LBFGS(net.parameters(), max_iter=2)
        loss = net(b).sum()  # bad

        def closure():
            opt.zero_grad()
            inner = net(b).square().sum()
            inner.backward()
            return inner

        opt.step(closure)  # bad: IPL106
        opt.step(closure)  # good
        loss = net(b).sum()  # good
        loss.backward()
    """,
    "weights averaged between forward and backward": """
        net = nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 1))
        loss = net(b).sum()
        loss.backward()  # good
        with torch.no_grad():
            for p in net.parameters():
                p.mul_(0.9)  # bad: IPL102
                p.mul_(0.9)  # good
        loss.backward()  # bad
    """,
    "a teacher that is moved by a method, past its forward": """
        class Student(nn.Module):
            def __init__(self, online, target):
                super().__init__()
                self.online = online
                self.target = target

            def move(self):
                for slow, fast in zip(self.target.parameters(), self.online.parameters()):
                    slow.data.mul_(0.5).add_(fast.data, alpha=0.5)

            def forward(self, x):
                self.move()  # good
                y = self.online(x)
                loss = (y - self.target(torch.tanh(y))).square().sum()
                self.move()  # bad: IPL201
                return loss

        net = lambda: nn.Sequential(nn.Linear(4, 4), nn.Tanh(), nn.Linear(4, 4))
        Student(net(), net())(a).backward()
    """,
    "the norm of a gradient that is differentiated again": """
        def penalty(critic, real, fake):
            mix = torch.lerp(real, fake, 0.5).detach().requires_grad_(True)
            score = critic(mix)
            (slope,) = torch.autograd.grad(score.sum(), mix, create_graph=True)
            norms = slope.flatten(1).norm(2, dim=1)
            norms -= 1  # bad: IPL101
            norms = norms - 1  # good
            return norms.square().mean()

        net = nn.Sequential(nn.Linear(4, 4), nn.Tanh(), nn.Linear(4, 1))
        penalty(net, b[None], 2 * b[None]).backward()
    """,
    "the states of an LSTM that go from one backward to the next": """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.lstm, self.head = nn.LSTM(4, 4, batch_first=True), nn.Linear(4, 1)

            def forward(self, x, state):
                y, state = self.lstm(x, state)
                return self.head(y), state

        net = Net()
        opt = torch.optim.SGD(net.parameters(), lr=0.1)
        state = (torch.zeros(1, 2, 4), torch.zeros(1, 2, 4))
        for x in torch.rand(3, 2, 5, 4):
            state = tuple(part.detach() for part in state)  # good
            out, state = net(x, state)
            opt.zero_grad()
            out.mean().backward(retain_graph=True)
            opt.step()  # bad: IPL106
            opt.step()  # good
    """,
    "weights that are masked at each call, again and again": """
        class Masked(nn.Linear):
            def __init__(self, kind):
                super().__init__(4, 4)
                assert kind in ("A", "B")
                self.register_buffer("mask", self.weight.data.clone())
                self.mask.fill_(2)  # bad
                self.mask.fill_(1)  # good
                self.mask[1:] = 0

            def forward(self, x):
                self.weight.data.mul_(self.mask)
                return super().forward(x)

        net = Masked("A")
        x = net(a)
        for _ in range(3):
            x = net(x)  # bad: IPL201
            x = net(x)  # good
        x.sum().backward()
    """,
    "weights that are kept within bounds at each call": """
        class Monotone(nn.Linear):
            def forward(self, x):
                self.weight.data.clamp_(min=0)
                y = super().forward(x)
                self.weight.data.add_(0.1)  # bad: IPL201
                return y

        net = Monotone(4, 4)
        net(net(a)).sum().backward()  # bad: IPL201
        net(net(a)).sum().backward()  # good
    """,
}
