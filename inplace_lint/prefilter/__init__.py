"""Decides, in one cheap pass over a function's syntax, whether an exact abstract interpretation is worth its cost.

It is a may-analysis: it joins all paths and keeps every alias, so it sees each write that may hit a saved tensor.
The interpreter (`interp`) then decides whether such a write is a bug, and under which path conditions. The pass over
one function ends in its `Summary`; calls use the summaries of their callees, so the cost stays linear.
"""
