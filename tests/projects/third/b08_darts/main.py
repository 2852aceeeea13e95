import argparse
import logging
import sys

import torch
import torch.nn as nn
import torch.nn.functional as F

from model_search import Network
from architect import Architect

parser = argparse.ArgumentParser("toy-cifar")
parser.add_argument('--batch_size', type=int, default=8)
parser.add_argument('--learning_rate', type=float, default=0.025)
parser.add_argument('--momentum', type=float, default=0.9)
parser.add_argument('--arch_learning_rate', type=float, default=3e-4)
parser.add_argument('--grad_clip', type=float, default=5)
parser.add_argument('--layers', type=int, default=2)
parser.add_argument('--steps', type=int, default=4)
args = parser.parse_args()
logging.basicConfig(stream=sys.stdout, level=logging.INFO, format='%(message)s')


def main():
    torch.manual_seed(2)
    torch.set_num_threads(1)
    model = Network(C=4, num_classes=3, layers=args.layers)
    optimizer = torch.optim.SGD(model.weight_parameters(), args.learning_rate, momentum=args.momentum)
    architect = Architect(model, args)
    train_queue = [(torch.randn(args.batch_size, 3, 8, 8), torch.randint(0, 3, (args.batch_size,)))
                   for _ in range(args.steps)]
    valid_queue = list(reversed(train_queue))
    for step, (inp, target) in enumerate(train_queue):
        input_search, target_search = valid_queue[step]
        logits = model(inp)
        loss = F.cross_entropy(logits, target)

        architect.step(input_search, target_search)

        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.weight_parameters(), args.grad_clip)
        optimizer.step()
        logging.info('step %d loss %.4f acc %.2f', step, loss.item(),
                     (logits.argmax(1) == target).float().mean().item())
    logging.info(model.genotype())


if __name__ == '__main__':
    main()
