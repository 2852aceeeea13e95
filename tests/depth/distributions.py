"""What is computed of a distribution hangs on what it was made of; what it draws does not (see `forms`)."""

PROGRAMS = {
    "advantages that are centred for a log, once the ratio was multiplied with them": """
        from torch.distributions import Categorical

        class Policy(nn.Module):
            def __init__(self, size, actions):
                super().__init__()
                self.body, self.head = nn.Linear(size, size), nn.Linear(size, actions)

            def forward(self, x):
                return Categorical(logits=self.head(torch.tanh(self.body(x))))

        def update(policy: Policy, opt, x, actions, old, advantage):
            ratio = (policy(x).log_prob(actions) - old).exp()
            loss = -(ratio * advantage).mean()
            with torch.no_grad():
                spread = advantage.sub_(advantage.mean()).square().mean()  # bad: IPL102
                spread = (advantage - advantage.mean()).square().mean()  # good
            opt.zero_grad()
            loss.backward()
            opt.step()
            return spread

        if __name__ == "__main__":
            policy = Policy(4, 3)
            opt = torch.optim.SGD(policy.parameters(), lr=0.1)
            update(policy, opt, torch.rand(5, 4), torch.tensor([0, 1, 2, 0, 1]), torch.rand(5), torch.rand(5))
    """,
    "what a sample was multiplied with, by which it hangs on its mean": """
        class Coder(nn.Module):
            def __init__(self, size):
                super().__init__()
                self.mean, self.back = nn.Linear(size, size), nn.Linear(size, size)
                self.register_buffer("gain", torch.ones(size))

            def forward(self, x):
                posterior = torch.distributions.Normal(self.mean(x), 1.0)
                z = posterior.rsample() * self.gain
                with torch.no_grad():
                    self.gain.lerp_(x.std(0), 0.1)  # bad: IPL102
                    self.gain = self.gain.lerp(x.std(0), 0.1)  # good
                return self.back(z)

        if __name__ == "__main__":
            Coder(4)(torch.rand(3, 4)).sum().backward()
    """,
    "what a sample was multiplied with, by which nothing comes back": """
        class Coder(nn.Module):
            def __init__(self, size):
                super().__init__()
                self.mean, self.back = nn.Linear(size, size), nn.Linear(size, size)
                self.register_buffer("gain", torch.ones(size))

            def forward(self, x):
                posterior = torch.distributions.Normal(self.mean(x), 1.0)
                z = posterior.rsample() * self.gain  # bad
                z = posterior.sample() * self.gain  # good
                with torch.no_grad():
                    self.gain.lerp_(x.std(0), 0.1)  # bad: IPL102
                    self.gain.lerp_(x.std(0), 0.1)  # good
                return self.back(z)

        if __name__ == "__main__":
            Coder(4)(torch.rand(3, 4)).sum().backward()
    """,
    "the density of a prior that is made of numbers": """
        class Scored(nn.Module):
            def __init__(self, size):
                super().__init__()
                self.first, self.scale = nn.Linear(size, size), nn.Parameter(torch.ones(size))
                self.register_buffer("gain", torch.ones(size))

            def forward(self, x):
                prior = torch.distributions.Normal(0.0, self.scale.exp())  # bad
                prior = torch.distributions.Normal(0.0, torch.ones(4))  # good
                score = prior.log_prob(x) * self.gain
                with torch.no_grad():
                    self.gain.lerp_(x.std(0), 0.1)  # bad: IPL102
                    self.gain.lerp_(x.std(0), 0.1)  # good
                return self.first(x).mean() + score.mean()

        if __name__ == "__main__":
            Scored(4)(torch.rand(3, 4)).backward()
    """,
}
