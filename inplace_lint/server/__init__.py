"""The language server for editors: the protocol runs in one process, the analysis in worker processes that stay warm.

`verb` starts it. `features` is what the client may ask, `documents` what it has open, `schedule` what is checked when,
`publish` and `actions` what is answered. `process` holds a `worker`, which reads and analyses, and may be ended at any
time: it knows nothing that cannot be told again.
"""
