import torch

from vq.builder import build_from_cfg, LOSSES, QUANTIZERS
from vq.engine import train_one_epoch
from vq.model import SoftVQAutoencoder
import vq.losses  # noqa: F401
import vq.quantizers  # noqa: F401

cfg = dict(
    seed=0, dim=12, latent=6, epochs=2, batches=6, batch_size=20, lr=3e-3,
    quantizer=dict(type="EMAQuantizer", codes=8, dim=6, decay=0.9),
    losses=[
        dict(type="Reconstruction", weight=1.0),
        dict(type="Commitment", weight=0.25),
        dict(type="AssignmentEntropy", weight=0.05, temperature=0.5),
    ],
)


def main():
    torch.manual_seed(cfg["seed"])
    torch.set_num_threads(1)
    quantizer = build_from_cfg(cfg["quantizer"], QUANTIZERS)
    model = SoftVQAutoencoder(cfg["dim"], cfg["latent"], quantizer)
    losses = [build_from_cfg(c, LOSSES) for c in cfg["losses"]]
    opt = torch.optim.AdamW(model.parameters(), lr=cfg["lr"])
    for epoch in range(cfg["epochs"]):
        logs = train_one_epoch(model, losses, opt, cfg)
        print(epoch, {k: round(v, 4) for k, v in logs.items()})
    print("usage", int((quantizer.counts > 1e-2).sum()), "/", quantizer.n_codes)


if __name__ == "__main__":
    main()
