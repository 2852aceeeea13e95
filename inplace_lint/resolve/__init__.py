"""Python's own rules for names, classes and arguments, independent of any analysis that uses them."""
