from .conv import GAT, GATConv  # noqa: F401
