"""From a FixPlan to changed source: edits made on LibCST's tree, applied, checked again, written in one stroke.

Nothing else in the project writes source. Everything but the plans themselves is imported where a fix is made.
"""
