_BASE = dict(widths=[6, 16, 16, 2], lr=1e-2, freeze_after=10)

CONFIGS = {
    "w8a4": dict(_BASE, observers=dict(
        weight=dict(kind="minmax", bits=8),
        act=dict(kind="ema", bits=4, momentum=0.2))),
    "w8a8": dict(_BASE, observers=dict(
        weight=dict(kind="minmax", bits=8),
        act=dict(kind="ema", bits=8, momentum=0.1))),
}
