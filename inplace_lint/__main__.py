"""`python -m inplace_lint` is `inplace-lint`."""

from .cli import entry

if __name__ == "__main__":
    entry()
