class League:
    """The learner plus a small pool of older selves; the oldest is recycled on promotion."""

    def __init__(self, learner, pool):
        self.learner = learner
        self.pool = [learner.frozen_copy() for _ in range(pool)]
        self.promotions = 0

    def opponent(self, round_idx):
        return self.pool[round_idx % len(self.pool)]

    def promote(self, rating):
        slot = self.promotions % len(self.pool)
        self.pool[slot].absorb(self.learner)
        self.promotions += 1
