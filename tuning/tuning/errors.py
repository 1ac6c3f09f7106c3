"""Errors of the user's input, each with a message of one sentence."""

from collections.abc import Iterator
from contextlib import contextmanager

MISSING = (AttributeError, KeyError, IndexError, TypeError)
"""Errors of a reader that finds values of another shape; their texts alone do not say so."""

INSTALL = "tuning/python -m pip install --no-deps -r tuning/"
"""The command, but for the name of the lock file, that installs packages which few users need."""


class InputError(Exception):
    """A file or option that cannot be used; the message says what was got and what was expected."""


@contextmanager
def reading(what: object, expected: str, *more: type[Exception]) -> Iterator[None]:
    """Turn an error of the block, which reads `what`, into one of the input; `more` are kinds of such errors."""
    kinds: tuple[type[Exception], ...] = (*MISSING, OSError, EOFError, ValueError, OverflowError, *more)
    try:
        yield
    except kinds as error:
        raise InputError(f"{what}: {_said(error.__cause__ or error)}, expected {expected}") from error


def _said(error: BaseException) -> str:
    said = getattr(error, "strerror", None) or (repr(error) if isinstance(error, MISSING) else str(error))
    return said.strip().partition("\n")[0].rstrip(":")
