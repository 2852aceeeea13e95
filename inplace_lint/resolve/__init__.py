"""Python's own rules for what a name stands for, apart from any use that is made of it."""
