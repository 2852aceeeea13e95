import torch

from sn.config import Experiment
from sn.critics import build_critic
from sn.sampler import two_moons, noise_like
from sn.trainer import EnergyTrainer

EXPERIMENT = Experiment.from_string("critic=spectral; width=20; steps=8; lr=0.002; power_iters=1; loss=hinge")


def main():
    torch.manual_seed(EXPERIMENT.seed)
    torch.set_num_threads(1)
    critic = build_critic(EXPERIMENT)
    trainer = EnergyTrainer(critic, EXPERIMENT)
    for i in range(EXPERIMENT.steps):
        real = two_moons(24)
        out = trainer.step(real, noise_like(real))
        if i % 3 == 0:
            print(i, {k: round(v, 4) for k, v in out.items()})
    critic.eval()
    with torch.no_grad():
        print("score", critic(two_moons(8)).mean().item())


if __name__ == "__main__":
    main()
