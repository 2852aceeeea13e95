"""A sketch of a function: one cheap pass over its syntax that says whether it is worth an exact run.

All paths are united and every alias is kept, so a sketch sees each write that may hit what was saved; the
interpreter then says under which conditions, and whether it is so. A sketch of one function ends in its
`Summary`; calls use the summaries of what they call, so the cost stays linear.
"""
