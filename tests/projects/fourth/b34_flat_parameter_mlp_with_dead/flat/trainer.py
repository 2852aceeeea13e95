class Trainer:
    def __init__(self, model, opt, callbacks):
        self.model, self.opt, self.callbacks = model, opt, callbacks
        self.step = 0

    def loss(self, x, y):
        err = self.model(x) - y
        return err.pow(2).mean()

    def fit(self, batches):
        for x, y in batches:
            loss = self.loss(x, y)
            self.opt.zero_grad()
            loss.backward()
            self.opt.step()
            self.step += 1
            self.callbacks.on_step_end(self, loss)
