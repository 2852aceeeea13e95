import torch
from torch import nn


class Generator(nn.Module):
    def __init__(self, width, depth):
        super().__init__()
        layers = [nn.Linear(3, width), nn.ReLU(inplace=True)]
        for _ in range(depth):
            layers += [nn.Linear(width, width), nn.ReLU(inplace=True)]
        layers += [nn.Linear(width, 3), nn.Tanh()]
        self.layers = nn.Sequential(*layers)

    def forward(self, noise):
        return self.layers(noise)


def train(width, depth):
    generator, critic = Generator(width, depth), nn.Linear(3, 1)
    of_generator = torch.optim.SGD(generator.parameters(), lr=0.1)
    of_critic = torch.optim.SGD(critic.parameters(), lr=0.1)
    fake = generator(torch.randn(4, 3))
    (-critic(fake).mean()).backward(retain_graph=True)
    of_generator.step()  # expect: IPL106
    of_critic.zero_grad()
    critic(fake).mean().backward()
    of_critic.step()


train(4, 2)
