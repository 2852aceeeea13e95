import torch

from .surgery import assign, flat_grads, project_conflicts
from .tasks import task_loss


class MultiTaskTrainer:
    def __init__(self, net, balancer, lr):
        self.net, self.balancer = net, balancer
        self.opt = torch.optim.Adam(list(net.groups(lr)))

    @property
    def params(self):
        return [p for g in self.opt.param_groups for p in g["params"]]

    def train_step(self, batch):
        x, targets = batch
        preds = self.net(x)
        raw = {k: task_loss(k, preds[k], targets[k]) for k in preds}
        weighted = self.balancer.weigh(raw)
        params = self.params
        # the tasks share the trunk, so the graph is needed once per task
        gs = [flat_grads(l, params, retain=True) for l in weighted.values()]
        assign(params, project_conflicts(gs))
        self.opt.step()  # BUG
        return {k: v.item() for k, v in raw.items()}
