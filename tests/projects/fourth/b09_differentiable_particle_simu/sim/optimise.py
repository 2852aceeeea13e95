import torch


class TrajectoryOptimiser:
    def __init__(self, world, ctrl, goal):
        self.world, self.ctrl, self.goal = world, ctrl, goal
        self.opts = {
            "ctrl": torch.optim.Adam(ctrl.parameters(), lr=1e-2),
            "phys": torch.optim.SGD(world.parameters(), lr=1e-3),
        }

    def cost(self, body, t, horizon):
        w = (t + 1) / horizon
        return w * (body.pos - self.goal).pow(2).sum(-1).mean() + 1e-3 * body.vel.pow(2).mean()

    def iterate(self, start, horizon):
        total = torch.zeros(())
        for t, body in enumerate(self.world.rollout(start, self.ctrl, horizon)):
            total += self.cost(body, t, horizon)
        for o in self.opts.values():
            o.zero_grad()
        total.backward()
        for p in self.ctrl.parameters():
            p.grad.nan_to_num_(0.0)
        for o in self.opts.values():
            o.step()
        return total.item() / horizon
