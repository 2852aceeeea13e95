"""The words stand in a string, not in a comment."""

HELP = """
y += 1  # inplace-lint: ignore[IPL101]
"""
