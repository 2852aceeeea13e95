import torch

from lm.config import Config
from lm.corpus import Corpus
from lm.model import TiedLM
from lm.objectives import build_objectives
from lm.trainer import Trainer


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    cfg = Config.from_dict({
        "dim": 12, "max_norm": 1.0, "tie": True, "objectives": "forward backward", "steps": 9,
    })
    corpus = Corpus(cfg.vocab, cfg.context)
    model = TiedLM(cfg)
    trainer = Trainer(model, build_objectives(cfg), cfg)
    for step, batch in enumerate(corpus.sample(cfg.steps, 8)):
        parts = trainer.step(batch)
        if step % 3 == 0:
            print(step, {k: round(v, 4) for k, v in parts.items()})


if __name__ == "__main__":
    main()
