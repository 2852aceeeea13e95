def get_config(**over):
    cfg = dict(
        in_dim=10, feat=16, proj=8, batch=12, steps=12, lr=0.05,
        hooks=[
            dict(type="MomentumTeacher", base=0.9),
            dict(type="CosineLR", total=12, base_lr=0.05),
            dict(type="PrintEvery", n=6),
        ],
    )
    cfg.update(over)
    return cfg
