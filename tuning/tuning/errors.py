"""Errors in the user's options and files, each reported in one sentence."""

from collections.abc import Iterator
from contextlib import contextmanager

SHAPE_ERRORS = (AttributeError, KeyError, IndexError, TypeError)
"""Exceptions that malformed data cause. Their texts are unclear, so messages also name the type."""

PIP_INSTALL = "tuning/python -m pip install --no-deps -r tuning/"
"""The command that installs optional packages, without the name of the lock file at its end."""


class InputError(Exception):
    """An unusable file or option; the message says what was received and what was expected."""


@contextmanager
def reading(what: object, expected: str, *more: type[Exception]) -> Iterator[None]:
    """Raise `InputError` in place of the usual errors of reading `what`, and of errors of `more`."""
    types: tuple[type[Exception], ...] = (*SHAPE_ERRORS, OSError, EOFError, ValueError, OverflowError, *more)
    try:
        yield
    except types as error:
        raise InputError(f"{what}: {_error_text(error.__cause__ or error)}, expected {expected}") from error


def _error_text(error: BaseException) -> str:
    text = repr(error) if isinstance(error, SHAPE_ERRORS) else str(error)
    message = getattr(error, "strerror", None) or text
    return message.strip().partition("\n")[0].rstrip(":")
