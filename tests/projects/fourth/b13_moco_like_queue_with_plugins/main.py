import torch
import torch.nn as nn

from moco.augment import TwoViews
from moco.encoder import Encoder
from moco.learner import ContrastiveLearner
from moco.memory import MemoryBank
from moco.plugins import BankWriter, MomentumCopy, TemperatureRamp


def build():
    q = Encoder(8, 16, 6)
    k = Encoder(8, 16, 6)
    k.load_state_dict(q.state_dict())
    bank = MemoryBank(size=32, dim=6)
    plugins = [TemperatureRamp(0.5, 0.2, steps=10), BankWriter(bank), MomentumCopy(0.95)]
    return ContrastiveLearner(q, k, bank, plugins)


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    learner = build()
    opt = torch.optim.SGD(learner.query_parameters(), lr=0.05, momentum=0.9)
    for i, (a, b) in enumerate(TwoViews(dim=8, batch=8, n=10)):
        loss = learner.training_step(a, b)
        opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_value_(learner.query_parameters(), 0.5)
        opt.step()
        learner.dispatch("after_optim")
        if i % 3 == 0:
            print(i, round(loss.item(), 4), learner.bank.cursor)


if __name__ == "__main__":
    main()
