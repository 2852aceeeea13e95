"""Abstract interpretation of the IR: values, storages, views, saves, grad mode, and the hazards among them."""
