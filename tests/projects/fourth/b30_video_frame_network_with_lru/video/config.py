CONFIG = {
    "frame_dim": 12,
    "feat": 16,
    "classes": 3,
    "cache": 4,
    "videos": 3,
    "length": 8,
    "losses": {"classify": 1.0, "temporal": 0.3, "sparsity": 0.01},
    "optim": {
        "backbone": {"cls": "Adam", "lr": 2e-3},
        "head": {"cls": "SGD", "lr": 2e-2},
    },
}
