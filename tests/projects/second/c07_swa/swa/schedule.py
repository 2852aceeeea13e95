import math


def warmup_cosine(step, warm=2, total=6):
    return (step + 1) / warm if step < warm else 0.5 * (1 + math.cos(math.pi * (step - warm) / total))
