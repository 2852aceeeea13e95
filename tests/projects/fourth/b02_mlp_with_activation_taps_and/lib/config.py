from types import SimpleNamespace


def _cast(v):
    for t in (int, float):
        try:
            return t(v)
        except ValueError:
            continue
    if "," in v:
        return [s.strip() for s in v.split(",")]
    return v


def load_config(text):
    out = {}
    for line in text.strip().splitlines():
        key, _, value = line.partition(":")
        out[key.strip()] = _cast(value.strip())
    return SimpleNamespace(**out)
