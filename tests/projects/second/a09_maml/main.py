import torch

from meta import MAML, Learner


def sample_task(d=3, k=1, n=6):
    a = torch.randn(d, k)
    draw = lambda: (lambda x: (x, x @ a))(torch.randn(n, d))
    return draw(), draw()


if __name__ == "__main__":
    algo = MAML(Learner(3, 8, 1))
    for _ in range(2):
        print(algo.step([sample_task() for _ in range(2)]))
