import torch

from trainlib.data import moons_loader
from trainlib.models import WideNet
from trainlib.recipes import RECIPES
from types import SimpleNamespace


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    args = SimpleNamespace(recipe="warmup_decay", epochs=2, lr=0.05, warmup=5, decay=0.02, width=20)
    model = WideNet(2, args.width)
    trainer = RECIPES[args.recipe](model, args)
    trainer.fit(moons_loader(80, 16), args.epochs)
    print("lr", round(trainer.current_lr, 4), "loss", round(trainer.history[-1], 4))


if __name__ == "__main__":
    main()
