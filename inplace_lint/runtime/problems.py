"""What a person asked for and cannot be had."""


class InputError(ValueError):
    """What a person wrote about a target or its inputs cannot be used; the text says why and what would be."""
