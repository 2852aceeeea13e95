def _value(s):
    for t in (int, float):
        try:
            return t(s)
        except ValueError:
            pass
    return s


def load(text):
    out = {}
    for line in text.strip().splitlines():
        key, val = [p.strip() for p in line.split("=")]
        section, name = key.split(".")
        out.setdefault(section, {})[name] = _value(val)
    return out
