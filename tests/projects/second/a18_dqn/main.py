import torch

from rl import DoubleDQN, DuelingNet, Replay


def main(steps=3):
    agent = DoubleDQN(DuelingNet(4, 3))
    mem = Replay(50, 4)
    for _ in range(20):
        mem.add(torch.randn(4), int(torch.randint(3, ())), torch.randn(()))
    for _ in range(steps):
        agent.learn(mem.sample(8))


if __name__ == "__main__":
    main()
