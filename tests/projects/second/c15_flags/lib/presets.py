PRESETS = {
    "small": {"act": "sig", "depth": 2, "fast": False},
    "large": {"act": "elu", "depth": 4, "fast": False},
}
