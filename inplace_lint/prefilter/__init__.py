"""The prefilter: one cheap pass over the syntax of a function that says whether it is worth an exact run.

All paths are united and every alias is kept, so it sees each write that may hit what was saved; the
interpreter then says under which conditions, and whether it is so. The pass over one function ends in its
`Summary`; calls use the summaries of what they call, so the cost stays linear.
"""
