"""Which functions of a file are run, in which order and for which callers; and the second looks at what they find."""
