import torch

from lib.config import load_config
from lib.data import Blobs
from lib.model import build_model
from lib.trainer import Trainer
from lib.callbacks import build_callbacks

CONFIG = """
model: mlp
width: 16
depth: 3
act: sigmoid
epochs: 2
lr: 0.05
callbacks: tap_stats, grad_clip, logger
tap_limit: 0.95
"""


def main():
    torch.manual_seed(3)
    torch.set_num_threads(1)
    cfg = load_config(CONFIG)
    model = build_model(cfg, in_dim=6, n_classes=3)
    trainer = Trainer(model, cfg, build_callbacks(cfg))
    trainer.fit(Blobs(n=96, dim=6, classes=3, batch=16))
    print("done", trainer.state.step)


if __name__ == "__main__":
    main()
