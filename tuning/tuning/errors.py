"""What is wrong with somebody's input, in a sentence."""


class InputError(Exception):
    """A file or option that cannot be used; the message says what was got and what was expected."""
