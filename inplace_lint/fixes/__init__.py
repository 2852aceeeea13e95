"""Turns a FixPlan into changed source: edits LibCST's tree, checks the result again and writes the file atomically.

No other package writes source. Everything but the plans themselves is imported only when a fix is made.
"""
