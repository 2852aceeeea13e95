"""Runs the checks on files and yields the reported findings, for the command line, the Python API and the server."""
