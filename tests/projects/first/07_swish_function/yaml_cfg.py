TEXT = """
width: 8
blocks: mbconv densemb
"""


def load(text=TEXT):
    out = {}
    for line in text.strip().splitlines():
        k, v = line.split(":", 1)
        v = v.strip()
        if v.isdigit():
            out[k] = int(v)
        else:
            out[k] = v.split()
    return out
