"""The error for a target or inputs that the user named and that cannot be used."""


class InputError(ValueError):
    """What a person wrote about a target or its inputs cannot be used; the text says why and what would be."""
