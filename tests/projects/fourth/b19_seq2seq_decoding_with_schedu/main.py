import torch

from s2s.config import parse
from s2s.data import ReverseTask
from s2s.decode import STRATEGIES
from s2s.engine import evaluate, train_one_epoch
from s2s.model import Seq2Seq

YAMLISH = """
vocab: 9
length: 5
width: 16
strategy: scheduled
sample_prob: 0.5
epochs: 2
lr: 0.01
"""


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    cfg = parse(YAMLISH)
    task = ReverseTask(cfg.vocab, cfg.length)
    model = Seq2Seq(cfg.vocab, cfg.width)
    strategy = STRATEGIES[cfg.strategy](cfg)
    opt = torch.optim.Adam(model.parameters(), lr=cfg.lr)
    for epoch in range(cfg.epochs):
        loss = train_one_epoch(model, strategy, task.batches(5, 8), opt)
        acc = evaluate(model, STRATEGIES["greedy"](cfg), task.batches(1, 8))
        print(epoch, round(loss, 4), round(acc, 3))


if __name__ == "__main__":
    main()
