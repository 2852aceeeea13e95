import argparse


def get_options(argv=None):
    p = argparse.ArgumentParser()
    p.add_argument("--rays", type=int, default=8)
    p.add_argument("--samples", type=int, default=6)
    p.add_argument("--white_bg", action="store_true")
    p.add_argument("--lam", type=float, default=0.01)
    return p.parse_args(argv)
