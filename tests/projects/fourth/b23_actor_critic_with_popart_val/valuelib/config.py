DEFAULTS = dict(obs_dim=4, n_actions=3, hidden=16, lr=3e-3, beta=0.1,
                normalizer="none", updates=5, batch=8, vf_coef=0.5)


def make_config(overrides):
    cfg = dict(DEFAULTS)
    for item in overrides:
        key, _, val = item.partition("=")
        old = cfg[key]
        cfg[key] = type(old)(val)
    return cfg
