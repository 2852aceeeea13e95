"""Source text -> IR. Python's `ast`, names resolved through imports, control flow kept. Knows nothing of torch."""
