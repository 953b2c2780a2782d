"""Warnings as test runners and worker processes rebuild them: from the message alone, or not at all."""

import pytest

from separatrix.core import errors

WARNINGS = [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, Warning)]


@pytest.mark.parametrize(
    "kind", [kind for kind in WARNINGS if kind.__module__ == errors.__name__], ids=lambda k: k.__name__
)
def test_a_warning_is_rebuilt_from_its_message_or_refuses_by_a_type_error(kind):
    """pytest-xdist ends the whole run on any other exception."""
    try:
        rebuilt = kind("the message")
    except TypeError:
        return
    assert str(rebuilt) == "the message"
