"""Parses Python files and notebooks, indexes what they define, and lowers function bodies to the IR."""
