"""Gradients that are recorded as a flag says, and graphs that go through distributions (see `forms`)."""

_NET = """
        from torch.distributions import Normal

        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.first, self.last = nn.Linear(4, 4), nn.Linear(4, 1)

            def forward(self, x):
                return self.last(torch.tanh(self.first(x)))

"""
_POLICY = """
        from torch.distributions import Categorical

        class Policy(nn.Module):
            def __init__(self):
                super().__init__()
                self.body = nn.Sequential(nn.Linear(4, 4), nn.Tanh(), nn.Linear(4, 4))
                self.choice, self.value = nn.Linear(4, 2), nn.Linear(4, 1)

            def forward(self, x):
                h = self.body(x)
                return Categorical(logits=self.choice(h)), self.value(h)
"""

PROGRAMS = {
    "under a flag that says whether it trains": _NET
    + """
        def run(net, batches, training):
            optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
            for batch in batches:
                with torch.set_grad_enabled(training):
                    h = torch.sigmoid(net(batch))
                    h.clamp_(0.1, 0.9)  # bad: IPL101
                    loss = h.sum()
                if training:
                    optimizer.zero_grad()
                    loss.backward()
                    optimizer.step()
                else:
                    h.clamp_(0.1, 0.9)

        if __name__ == "__main__":
            run(Net(), [torch.rand(2, 4)], True)
            run(Net(), [torch.rand(2, 4)], False)
    """,
    "weights that are changed where nothing is recorded": _NET
    + """
        def run(net, batches, training):
            optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
            for batch in batches:
                with torch.set_grad_enabled(training):
                    loss = net(batch).sum()
                    if not training:
                        net.last.weight.mul_(0.9)
                    with torch.no_grad():  # bad
                        net.last.weight.mul_(0.9)  # bad: IPL102
                if training:
                    optimizer.zero_grad()
                    loss.backward()
                    optimizer.step()

        if __name__ == "__main__":
            run(Net(), [torch.rand(2, 4)], True)
            run(Net(), [torch.rand(2, 4)], False)
    """,
    "in the rounds whose gradients are asked for": _NET
    + """
        class Sampler:
            def __init__(self, net, steps=6, last=3):
                self.net, self.steps, self.last = net, steps, last

            def sample(self, x):
                for step in range(self.steps, 0, -1):
                    with torch.set_grad_enabled(step <= self.last):
                        moved = self.net(x)
                    x.add_(moved)  # bad: IPL102
                    x = x + moved  # good
                return x

        def tune(sampler):
            optimizer = torch.optim.SGD(sampler.net.parameters(), lr=0.1)
            for _ in range(2):
                loss = sampler.sample(torch.rand(2, 4)).sum()
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                yield loss.item()

        if __name__ == "__main__":
            list(tune(Sampler(Net())))
    """,
    "two optimizers, one after a backward through a distribution": _POLICY
    + """
        class Agent:
            def __init__(self, policy):
                self.policy = policy
                self.actor = torch.optim.SGD([*policy.body.parameters(), *policy.choice.parameters()], lr=0.1)
                self.critic = torch.optim.SGD(policy.value.parameters(), lr=0.1)

            def update(self, seen, done, earned):
                chosen, value = self.policy(seen)
                actor = -(chosen.log_prob(done) * (earned - value[:, 0]).detach()).mean()
                critic = (earned - value[:, 0]).pow(2).mean()
                actor.backward(retain_graph=True)
                self.actor.step()  # bad: IPL106
                critic.backward()
                self.actor.step()  # good
                self.critic.step()

        if __name__ == "__main__":
            Agent(Policy()).update(torch.rand(3, 4), torch.tensor([0, 1, 0]), torch.rand(3))
    """,
    "what was drawn goes into the next round, and what was made of its noise": _NET
    + """
        def train(net, x):
            optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
            for _ in range(3):
                drawn = Normal(net(x), 1.0)
                x = drawn.rsample().expand(2, 4)  # bad
                loss = x.pow(2).mean()  # bad
                x = drawn.sample().expand(2, 4)  # good
                loss = -drawn.log_prob(x[:, :1]).mean()  # good
                optimizer.zero_grad()
                loss.backward(retain_graph=True)
                optimizer.step()  # bad: IPL106
                optimizer.step()  # good

        if __name__ == "__main__":
            train(Net(), torch.rand(2, 4))
    """,
}
