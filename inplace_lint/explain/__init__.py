"""Explains a line: traces the runs that pass it, and says why a write there is a finding or why it is none."""
