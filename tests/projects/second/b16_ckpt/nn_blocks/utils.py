class CallableChain:
    """Apply callables in order, keeping intermediate values."""

    def __init__(self, *fns):
        self.fns = fns

    def __call__(self, x):
        trace = []
        for fn in self.fns:
            x = fn(x)
            trace.append(x)
        return x, trace


def accumulate(trace):
    total = trace[0]
    for t in trace[1:]:
        total += t  # BUG
    return total
