class Lazy:
    """Does a regulariser each k-th step."""

    def __init__(self, every):
        self.every, self.i = every, -1

    def __call__(self):
        self.i += 1
        return self.i % self.every == 0
