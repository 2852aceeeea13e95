class VideoSystem:
    """Ties network, losses and feature cache together for one video at a time."""

    def __init__(self, net, losses, cache):
        self.net, self.losses, self.cache = net, losses, cache
        self.frames = self.labels = None

    def load(self, frames, labels):
        self.frames, self.labels = frames, labels
        self.cache.clear()

    def feature(self, t):
        return self.cache.get(t, lambda: self.net.backbone(self.frames[t]))

    def step_loss(self, t):
        cur, nxt = self.feature(t), self.feature(t + 1)
        logits = self.net.head(cur)
        total = 0
        for _, w, fn in self.losses:
            total = total + w * fn(cur, nxt, logits, self.labels[t:t + 1])
        self.cache.drop(t)
        return total

    def __len__(self):
        return len(self.frames) - 1
