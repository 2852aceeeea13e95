def floor_gate(gate, floor):
    """Rescale a gate from (0, 1) to (floor, 1) without allocating."""
    if floor > 0:
        gate.mul_(1 - floor).add_(floor)  # BUG
    return gate
