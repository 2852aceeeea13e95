import copy
import torch
import torch.nn.functional as F


class Trainer:
    def __init__(self, model, lr=1e-2, consistency=1.0, callbacks=()):
        self.student = model
        self.teacher = copy.deepcopy(model)
        self.consistency = consistency
        self.callbacks = list(callbacks)
        self.optimizer = torch.optim.SGD(self.student.parameters(), lr=lr)
        self.global_step = 0

    def emit(self, name, *args):
        for cb in self.callbacks:
            getattr(cb, name)(self, *args)

    def training_step(self, x, y, x_u):
        sup = F.cross_entropy(self.student(x), y)
        ps = F.softmax(self.student(x_u), dim=1)
        pt = F.softmax(self.teacher(x_u + 0.05 * torch.randn_like(x_u)), dim=1)
        return sup + self.consistency * F.mse_loss(ps, pt)

    def fit(self, batches):
        self.emit("on_train_start")
        for x, y, x_u in batches:
            loss = self.training_step(x, y, x_u)
            self.emit("on_loss", loss)
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
            self.global_step += 1
            self.emit("on_step_end")
