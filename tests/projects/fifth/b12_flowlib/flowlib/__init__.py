from .flow import Flow, make_realnvp  # noqa: F401
