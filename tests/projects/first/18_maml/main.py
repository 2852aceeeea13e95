import torch

from meta.functional import init_params
from meta.inner import InnerLoop
from meta.outer import MAML
from meta.tasks import task_batch

if __name__ == "__main__":
    torch.manual_seed(0)
    learner = MAML(init_params([1, 20, 1]), InnerLoop())
    for it in range(2):
        print(it, learner.meta_step(task_batch(3, 5)))
