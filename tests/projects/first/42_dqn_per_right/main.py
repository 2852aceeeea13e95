import torch

from dqn.agent import Agent
from dqn.nets import Dueling
from dqn.replay import PrioritizedReplay


def main():
    torch.manual_seed(0)
    agent = Agent(Dueling(4, 2), PrioritizedReplay(16, 4))
    s = torch.randn(4)
    for t in range(40):
        with torch.no_grad():
            a = agent.net(s).argmax()
        s2 = s + 0.1 * torch.randn(4)
        agent.buf.add(s, a, -s2.norm(), s2, 0.0)
        s = s2
        if t > 15 and t % 8 == 0:
            print(agent.learn(8))


if __name__ == "__main__":
    main()
