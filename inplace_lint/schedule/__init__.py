"""Decides which functions of a file are run, in which order and with which callers, and which findings to doubt."""
