"""Runs user code, for the verbs that say so. The only part of the project that imports torch."""
