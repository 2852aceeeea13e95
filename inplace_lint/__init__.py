"""inplace-lint: finds in-place writes that break backward, and attention that eats the GPU."""

__version__ = "0.1.0"
