from types import SimpleNamespace


def parse(text):
    ns = SimpleNamespace()
    for line in text.strip().splitlines():
        k, v = [s.strip() for s in line.split(":", 1)]
        try:
            v = int(v)
        except ValueError:
            try:
                v = float(v)
            except ValueError:
                pass
        setattr(ns, k, v)
    return ns
