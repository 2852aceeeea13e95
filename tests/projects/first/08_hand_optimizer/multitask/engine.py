from .tasks import TASKS


class Engine:
    def __init__(self, model, optimizer):
        self.model = model
        self.optimizer = optimizer

    def losses(self, batch):
        outs = self.model(batch["x"])
        for name, (_, fn) in TASKS.items():
            yield name, fn(outs[name], batch)

    def run(self, batches):
        for batch in batches:
            log = {}
            for name, loss in self.losses(batch):
                self.optimizer.zero_grad()
                loss.backward(retain_graph=True)
                self.optimizer.step()
                log[name] = round(loss.item(), 4)
            print(log)
