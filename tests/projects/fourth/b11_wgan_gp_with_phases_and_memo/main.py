import torch

from ganlab.config import GanConfig
from ganlab.nets import Critic, Generator
from ganlab.phases import PHASES
from ganlab.trainer import GanTrainer


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    cfg = GanConfig(schedule="critic,critic,gen")
    trainer = GanTrainer(
        cfg,
        nets={"gen": Generator(cfg.z_dim, cfg.x_dim), "critic": Critic(cfg.x_dim)},
        phases=[PHASES[name](cfg) for name in cfg.phase_names],
    )
    trainer.run()
    print({k: round(v, 4) for k, v in trainer.log.items()})


if __name__ == "__main__":
    main()
