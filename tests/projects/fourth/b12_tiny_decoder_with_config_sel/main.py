import torch

from attn.config import MODEL_PRESETS
from attn.data import CopyTask
from attn.model import TinyDecoder
from attn.trainer import LMTrainer


def main(preset="rotary-small"):
    torch.manual_seed(0)
    torch.set_num_threads(1)
    cfg = MODEL_PRESETS[preset]
    model = TinyDecoder(cfg)
    trainer = LMTrainer(model, lr=3e-3, warmup=4)
    task = CopyTask(cfg.vocab, cfg.max_len, batch=6)
    for step, batch in zip(range(10), task):
        loss = trainer.step(batch)
        if step % 3 == 0:
            print(step, round(loss, 4))


if __name__ == "__main__":
    main()
