"""The error for a target or inputs that the user named and that cannot be used."""


class InputError(ValueError):
    """A target or inputs that the user gave cannot be used; the text says why, and what to write instead."""
