"""Abstract interpretation of the IR: values, storages, views, saves, grad mode, and the hazards among them."""

from ..lazy import lazily

lazily(
    __name__,
    "arrays",
    "axes",
    "blocks",
    "builtin",
    "cached",
    "classes",
    "container_methods",
    "containers",
    "decorators",
    "driven",
    "einops",
    "foreign",
    "generators",
    "indexing",
    "inherited",
    "instances",
    "iteration",
    "methods",
    "modules",
    "objects",
    "operators",
    "plays",
    "stale",
    "strings",
    "subscripts",
    "supposed",
    "unchecked",
)
