"""From files to the findings that are reported: what the command line, the Python API and the server share."""
