"""The language server: what editors speak to. The protocol in one process, the analysis in others that stay warm.

`verb` starts it. `features` is what the client may ask, `documents` what it has open, `schedule` what is checked when,
`publish` and `actions` what is answered. `process` holds a `worker`, which reads and analyses, and may be ended at any
time: it knows nothing that cannot be told again.
"""
