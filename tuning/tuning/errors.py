"""Errors of the user's input, each with a message of one sentence."""


class InputError(Exception):
    """A file or option that cannot be used; the message says what was got and what was expected."""
