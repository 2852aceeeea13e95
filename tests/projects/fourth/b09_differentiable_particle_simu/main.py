import argparse

import torch

from sim.controller import Controller
from sim.integrators import INTEGRATORS
from sim.optimise import TrajectoryOptimiser
from sim.state import Body
from sim.world import World


def get_args():
    p = argparse.ArgumentParser()
    p.add_argument("--integrator", choices=sorted(INTEGRATORS), default="leapfrog")
    p.add_argument("--dt", type=float, default=0.05)
    p.add_argument("--horizon", type=int, default=12)
    p.add_argument("--iters", type=int, default=6)
    return p.parse_args([])


def main():
    args = get_args()
    torch.set_num_threads(1)
    torch.manual_seed(0)
    world = World.from_args(args)
    ctrl = Controller(state_dim=4, act_dim=2)
    opt = TrajectoryOptimiser(world, ctrl, goal=torch.tensor([1.0, -0.5]))
    for i in range(args.iters):
        cost = opt.iterate(Body.random(5), args.horizon)
        print(i, round(cost, 4))


if __name__ == "__main__":
    main()
