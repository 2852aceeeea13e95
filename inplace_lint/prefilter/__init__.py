"""Tells from the text of files which functions may write a tensor, who may call them, and what fits their parameters.

Nothing is evaluated here. A call graph by names has too many edges rather than too few: what a function really writes
is asked of a run of it (`interp`, `schedule.left_open`).
"""
